module linchpin

go 1.17
