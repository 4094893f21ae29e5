# The program with its manual page, and the compilers that `linchpin test` and `stress` call:
#
#   docker build -t linchpin .
#   docker run --rm -v "$PWD:/work" linchpin check history.edn
#
# The exit status is the program's.
#
FROM debian:12-slim AS build
RUN apt-get update && apt-get install -y --no-install-recommends \
        build-essential cmake ninja-build pkg-config libyajl-dev libxxhash-dev libzstd-dev \
        zlib1g-dev libexpat1-dev libutf8proc-dev scdoc file \
    && rm -rf /var/lib/apt/lists/*
WORKDIR /linchpin
COPY . .
RUN cmake --preset release && cmake --build build && cd build && cpack -G DEB \
    && mkdir /packages && mv linchpin_*.deb /packages/linchpin.deb

FROM debian:12-slim
COPY --from=build /packages/linchpin.deb /tmp/
RUN apt-get update && apt-get install -y --no-install-recommends \
        /tmp/linchpin.deb gcc g++ binutils libc6-dev \
    && rm -rf /var/lib/apt/lists/* /tmp/linchpin.deb
WORKDIR /work
ENTRYPOINT ["linchpin"]
CMD ["--help"]
