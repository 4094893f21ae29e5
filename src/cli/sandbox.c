/* A filter for seccomp (Linux, seccomp(2)): system calls that are listed here are allowed, all
 * others fail with EPERM, and those of which an older one does the same with ENOSYS, so that the C
 * library takes that one. Memory can be no code; clone makes threads and nothing else; signals go
 * to this process alone. */
#include "cli/sandbox.h"

#include <stdio.h>
#include <string.h>

#if defined(__linux__) && (defined(__x86_64__) || defined(__aarch64__))

#include <asm/termbits.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/sched.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/attributes.h"
#include "base/vector.h"

#ifdef __x86_64__
#define ARCHITECTURE AUDIT_ARCH_X86_64
#else
#define ARCHITECTURE AUDIT_ARCH_AARCH64
#endif

/* What may be called, whatever the arguments. The manual has the same list. */
static const int allowed[] = {
    /* files that are open, and what is known of others */
    SYS_read,
    SYS_write,
    SYS_readv,
    SYS_writev,
    SYS_pread64,
    SYS_pwrite64,
    SYS_lseek,
    SYS_close,
    SYS_fstat,
    SYS_newfstatat,
    SYS_statx,
    SYS_faccessat,
    SYS_readlinkat,
    SYS_getcwd,
    SYS_getdents64,
    SYS_fadvise64,
    /* waiting */
    SYS_ppoll,
    SYS_pselect6,
    SYS_futex,
    SYS_nanosleep,
    SYS_clock_nanosleep,
    SYS_restart_syscall,
    /* memory */
    SYS_munmap,
    SYS_mremap,
    SYS_madvise,
    SYS_brk,
    SYS_membarrier,
    /* threads and signals */
    SYS_set_robust_list,
    SYS_rseq,
    SYS_set_tid_address,
    SYS_sched_yield,
    SYS_sched_getaffinity,
    SYS_getpid,
    SYS_gettid,
    SYS_rt_sigaction,
    SYS_rt_sigprocmask,
    SYS_rt_sigreturn,
    SYS_rt_sigtimedwait,
    SYS_sigaltstack,
    SYS_exit,
    SYS_exit_group,
    /* the clock, the machine, the user */
    SYS_clock_gettime,
    SYS_clock_getres,
    SYS_gettimeofday,
    SYS_getrandom,
    SYS_getrusage,
    SYS_sysinfo,
    SYS_uname,
    SYS_getcpu,
    SYS_getuid,
    SYS_geteuid,
    SYS_getgid,
    SYS_getegid,
#ifdef __x86_64__
    SYS_stat,
    SYS_lstat,
    SYS_access,
    SYS_readlink,
    SYS_poll,
    SYS_select,
    SYS_time,
#endif
};

/* What else may be called where an option names a file to be written. */
static const int writing[] = {
    SYS_openat,   SYS_ftruncate, SYS_fsync,  SYS_fdatasync, SYS_linkat, SYS_renameat,
    SYS_unlinkat, SYS_mkdirat,   SYS_fchmod, SYS_fchown,
#ifdef __x86_64__
    SYS_open,     SYS_rename,    SYS_link,   SYS_unlink,    SYS_mkdir,  SYS_rmdir,
#endif
};

/* For these the C library has another way. */
static const int missing[] = {
#ifdef SYS_clone3
    SYS_clone3,
#endif
#ifdef SYS_faccessat2
    SYS_faccessat2,
#endif
#ifdef SYS_renameat2
    SYS_renameat2,
#endif
#ifdef SYS_openat2
    SYS_openat2,
#endif
};

#define REFUSED (SECCOMP_RET_ERRNO | EPERM)
#define UNKNOWN (SECCOMP_RET_ERRNO | ENOSYS)

/* The lower half of an argument: flags, and numbers of processes, are there on both machines. */
#define ARGUMENT(n) ((uint32_t)(offsetof(struct seccomp_data, args) + 8u * (n)))

struct filter {
    VECTOR(struct sock_filter) code;
    bool refused;
};

static void put(struct filter *filter, struct sock_filter instruction)
{
    filter->refused = !vector_push(&filter->code, instruction) || filter->refused;
}

static void load(struct filter *filter, uint32_t offset)
{
    put(filter, (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offset));
}

static void answer(struct filter *filter, uint32_t what)
{
    put(filter, (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, what));
}

/* The next `length` instructions are for this call alone; its number is loaded. */
static void only(struct filter *filter, int number, uint8_t length)
{
    put(filter,
        (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)number, 0, length));
}

/* Of this call the argument must have the bits `needed` and none of the bits `unwanted`. */
static void put_flags(struct filter *filter, int number, unsigned argument, uint32_t needed,
                      uint32_t unwanted)
{
    only(filter, number, 5);
    load(filter, ARGUMENT(argument));
    put(filter, (struct sock_filter)BPF_STMT(BPF_ALU | BPF_AND | BPF_K, needed | unwanted));
    put(filter, (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, needed, 0, 1));
    answer(filter, SECCOMP_RET_ALLOW);
    answer(filter, REFUSED);
}

/* Of this call the argument must be one of the values. */
static void put_values(struct filter *filter, int number, unsigned argument, const uint32_t *values,
                       uint8_t count)
{
    only(filter, number, (uint8_t)(2 * count + 2));
    load(filter, ARGUMENT(argument));
    for (uint8_t i = 0; i < count; i++) {
        put(filter, (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, values[i], 0, 1));
        answer(filter, SECCOMP_RET_ALLOW);
    }
    answer(filter, REFUSED);
}

static void put_all(struct filter *filter, const int *numbers, size_t count, uint32_t what)
{
    for (size_t i = 0; i < count; i++) {
        only(filter, numbers[i], 1);
        answer(filter, what);
    }
}

static void make(struct filter *filter, bool writes)
{
    const uint32_t self = (uint32_t)getpid(), nothing = 0, name = PR_SET_NAME;
    const uint32_t terminal[] = {TCGETS, TIOCGWINSZ};
    const uint32_t of_descriptors[] = {F_GETFD, F_SETFD, F_GETFL, F_SETFL, F_DUPFD_CLOEXEC};
    const uint32_t changing = O_WRONLY | O_RDWR | O_CREAT | O_TRUNC;
    load(filter, offsetof(struct seccomp_data, arch));
    put(filter, (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, ARCHITECTURE, 1, 0));
    answer(filter, SECCOMP_RET_KILL_PROCESS); /* the numbers mean something else there */
    load(filter, offsetof(struct seccomp_data, nr));
    put_all(filter, allowed, ARRAY_LENGTH(allowed), SECCOMP_RET_ALLOW);
    if (writes)
        put_all(filter, writing, ARRAY_LENGTH(writing), SECCOMP_RET_ALLOW);
    put_all(filter, missing, ARRAY_LENGTH(missing), UNKNOWN);
    put_flags(filter, SYS_openat, 2, 0, changing);
#ifdef __x86_64__
    put_flags(filter, SYS_open, 1, 0, changing);
#endif
    put_flags(filter, SYS_mmap, 2, 0, PROT_EXEC);
    put_flags(filter, SYS_mprotect, 2, 0, PROT_EXEC);
    put_flags(filter, SYS_clone, 0, CLONE_VM | CLONE_SIGHAND | CLONE_THREAD, CLONE_NEWUSER);
    put_values(filter, SYS_tgkill, 0, &self, 1);
    put_values(filter, SYS_prlimit64, 2, &nothing, 1); /* limits are asked for, not set */
    put_values(filter, SYS_prctl, 0, &name, 1);
    put_values(filter, SYS_ioctl, 1, terminal, ARRAY_LENGTH(terminal));
    put_values(filter, SYS_fcntl, 1, of_descriptors, ARRAY_LENGTH(of_descriptors));
    answer(filter, REFUSED);
}

static bool install(struct filter *filter)
{
    const struct sock_fprog program = {.len = (unsigned short)filter->code.length,
                                       .filter = filter->code.items};
    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
           syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &program) == 0;
}

static bool give_up(const char *command, bool writes)
{
    struct budget budget;
    struct filter filter = {.refused = false};
    budget_init(&budget, NULL, 0);
    vector_init(&filter.code, &budget);
    make(&filter, writes);
    if (filter.refused)
        errno = ENOMEM;
    const bool done = !filter.refused && install(&filter);
    if (!done)
        fprintf(stderr, "linchpin %s: --sandbox: %s\n", command, strerror(errno));
    vector_release(&filter.code);
    return done;
}

#else

static bool give_up(const char *command, bool writes)
{
    (void)writes;
    fprintf(stderr, "linchpin %s: --sandbox: this system has no seccomp\n", command);
    return false;
}

#endif

bool sandbox_enter(const char *command, struct options *options)
{
    if (options->mpi) {
        fprintf(stderr, "linchpin %s: --sandbox does not go with --mpi, which needs the network\n",
                command);
        return false;
    }
    if (options->engine && strcmp(options->engine, "native") == 0) {
        fprintf(stderr,
                "linchpin %s: --sandbox does not go with --engine=native, which runs a compiler\n",
                command);
        return false;
    }
    if (strcmp(command, "verify") == 0)
        options->engine = "bytecode";
    const bool lays_out = strcmp(command, "fmt") == 0 && !options->check;
    return give_up(command, lays_out || options->junit || options->html || options->sarif ||
                                options->trace || options->proof || options->output ||
                                options->metrics || options->log || options->checkpoint);
}
