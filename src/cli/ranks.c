#include "cli/ranks.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <unistd.h>

#include "cli/command.h"
#include "cli/installed.h"

/* The static program has none of these, or what does not work. */
#pragma weak dlopen
#pragma weak dlsym

static transport_open *load_library(const char *path, const char *command)
{
    transport_open *open = NULL;
    /* Open MPI loads libraries of its own, which look for its names. */
    void *library = dlopen(path, RTLD_NOW | RTLD_GLOBAL);
    void *found = library ? dlsym(library, TRANSPORT_OPEN) : NULL;
    if (found)
        memcpy(&open, &found, sizeof open);
    else
        fprintf(stderr,
                "linchpin %s: --mpi: %s\n(Open MPI is in the package libopenmpi3, mpirun in "
                "openmpi-bin)\n",
                command, dlerror());
    return open;
}

static transport_open *load(const char *command)
{
    struct text path = TEXT_EMPTY;
    transport_open *open = NULL;
    if (!dlopen || !dlsym || getauxval(AT_BASE) == 0) {
        fprintf(stderr,
                "linchpin %s: --mpi: this program was linked without shared libraries, and cannot "
                "load that of MPI; use one that was not\n",
                command);
        return NULL;
    }
    if (installed_find("mpi.so", &path)) {
        text_append(&path, "/mpi.so");
        open = load_library(text_string(&path), command);
    } else
        fprintf(stderr,
                "linchpin %s: --mpi: this linchpin has no mpi.so: install the package "
                "linchpin-mpi, or build linchpin where libopenmpi-dev is installed\n",
                command);
    text_release(&path);
    return open;
}

/* What a rank would only repeat is kept, in case that it is the only one to say it. */
static void fall_silent(struct ranks *ranks)
{
    int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
    if (nowhere >= 0)
        dup2(nowhere, STDOUT_FILENO);
    ranks->said = memfd_create("linchpin", MFD_CLOEXEC);
    ranks->standard_error = dup(STDERR_FILENO);
    if (ranks->said >= 0 && ranks->standard_error >= 0)
        dup2(ranks->said, STDERR_FILENO);
}

static void speak_again(struct ranks *ranks)
{
    if (ranks->standard_error < 0)
        return;
    dup2(ranks->standard_error, STDERR_FILENO);
    close(ranks->standard_error);
    ranks->standard_error = -1;
}

bool ranks_begin(struct ranks *ranks, const char *command)
{
    *ranks = (struct ranks){.command = command, .said = -1, .standard_error = -1};
    transport_open *open = load(command);
    if (open)
        ranks->transport = open();
    if (!ranks->transport)
        return false;
    if (strcmp(ranks->transport->version, LP_VERSION) != 0) {
        fprintf(stderr, "linchpin %s: --mpi: mpi.so is that of linchpin %s, this is %s\n", command,
                ranks->transport->version, LP_VERSION);
        exit(EXIT_INPUT); /* what launched the ranks ends the others */
    }
    if (ranks->transport->rank)
        fall_silent(ranks);
    return true;
}

bool ranks_is_helper(const struct ranks *ranks)
{
    return ranks && ranks->transport->rank;
}

unsigned ranks_here(const struct ranks *ranks)
{
    return ranks ? ranks->transport->neighbours : 1;
}

int ranks_standard_output(const struct ranks *ranks)
{
    return ranks && ranks->transport->launched ? -1 : STDOUT_FILENO;
}

/* What only that rank has to say. */
static void complain(const struct ranks *ranks)
{
    const struct transport *transport = ranks->transport;
    enum {
        MOST = 1 << 16
    };
    char *text = malloc(MOST);
    ssize_t length = text && ranks->said >= 0 ? pread(ranks->said, text, MOST, 0) : 0;
    transport->send(transport, 0, TRANSPORT_COMPLAINT, text, length > 0 ? (size_t)length : 0);
    free(text);
}

static void pass_complaint(const struct ranks *ranks)
{
    unsigned from;
    size_t length;
    const struct transport *transport = ranks->transport;
    char *text = transport->receive(transport, TRANSPORT_COMPLAINT, true, &from, &length);
    fprintf(stderr, "linchpin %s: --mpi: rank %u cannot do its part:\n%s", ranks->command, from,
            text);
    free(text);
}

/* Whether all ranks are good and have the same inputs; if not, it was said why. */
static bool meet(struct ranks *ranks, bool good, uint64_t inputs)
{
    const struct transport *transport = ranks->transport;
    /* who is the first that is not good; the least and the most of the inputs of those that are */
    uint64_t least[] = {good ? transport->ranks : transport->rank, good ? inputs : UINT64_MAX,
                        good ? ~inputs : UINT64_MAX};
    transport->reduce(transport, TRANSPORT_LEAST, least, ARRAY_LENGTH(least));
    const uint64_t first = least[0];
    ranks->agreed = true;
    if (first == transport->ranks && least[1] == ~least[2]) {
        speak_again(ranks);
        return true;
    }
    if (first == transport->ranks)
        fprintf(stderr,
                "linchpin %s: --mpi: expected the same inputs on every rank, found others: files "
                "must be in a folder that all machines share\n",
                ranks->command);
    else if (first == transport->rank && first > 0)
        complain(ranks);
    else if (first > 0 && transport->rank == 0)
        pass_complaint(ranks);
    return false;
}

bool ranks_agree(struct ranks *ranks, uint64_t inputs)
{
    return !ranks || meet(ranks, true, inputs);
}

int ranks_end(struct ranks *ranks, int status)
{
    if (!ranks->agreed && !meet(ranks, status == EXIT_HOLDS, 0) && status == EXIT_HOLDS)
        status = EXIT_INPUT;
    const bool helper = ranks_is_helper(ranks);
    ranks->transport->close(ranks->transport);
    speak_again(ranks);
    if (ranks->said >= 0)
        close(ranks->said);
    return helper ? EXIT_HOLDS : status;
}
