#include "runtime/fiber.h"

#include <asm/prctl.h>
#include <immintrin.h>
#include <link.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "runtime/shadow.h"

/* The thread-local variables of the program itself: right below the thread pointer. */
static struct {
    size_t size;
    const char *image;
    size_t image_size;
    bool direct; /* the processor lets us set the thread pointer ourselves */
} storage;

/* A fiber begins here, with registers that are the same each time, for they are part of its state,
 * and what it calls on its stack. */
__asm__(".text\n"
        ".type runtime_begin, @function\n"
        "runtime_begin:\n"
        "  xor %ebp, %ebp\n  xor %r12d, %r12d\n  xor %r13d, %r13d\n  xor %r14d, %r14d\n"
        "  xor %r15d, %r15d\n"
        "  pop %rbx\n"
        "  jmp runtime_bottom\n"
        ".size runtime_begin, . - runtime_begin\n");

void runtime_begin(void);

/* The outermost frame of a fiber calls what stands in %rbx. Exceptions come no further
 * (runtime/exceptions.h). */
__asm__(".text\n"
        ".type runtime_bottom, @function\n"
        "runtime_bottom:\n"
        "  .cfi_startproc\n"
        "  .cfi_personality 0x3, runtime_personality\n"
        "  .cfi_undefined rip\n"
        "  sub $8, %rsp\n"
        "  .cfi_adjust_cfa_offset 8\n"
        "  call *%rbx\n"
        "  ud2\n"
        "  .cfi_endproc\n"
        ".size runtime_bottom, . - runtime_bottom\n");

/* ---- thread-local storage ---- */

static int find_storage(struct dl_phdr_info *info, size_t size, void *unused)
{
    (void)size;
    (void)unused;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *header = &info->dlpi_phdr[i];
        if (header->p_type != PT_TLS)
            continue;
        size_t align = header->p_align ? header->p_align : 1;
        storage.size = (header->p_memsz + align - 1) / align * align;
        storage.image = (const char *)(info->dlpi_addr + header->p_vaddr);
        storage.image_size = header->p_filesz;
    }
    return 1; /* the program itself comes first; nothing else is looked at */
}

static void *thread_pointer(void)
{
    void *pointer;
    __asm__("mov %%fs:0, %0" : "=r"(pointer));
    return pointer;
}

__attribute__((target("fsgsbase"))) static void set_thread_pointer(void *pointer)
{
    if (storage.direct)
        _writefsbase_u64((uint64_t)pointer);
    else
        syscall(SYS_arch_prctl, ARCH_SET_FS, pointer);
}

struct parked {
    _Atomic(void *) pointer;
};

static void *park(void *own)
{
    struct parked *parked = own;
    atomic_store(&parked->pointer, thread_pointer());
    for (;;)
        pause();
    return NULL;
}

bool fibers_open(struct fiber *fibers, unsigned count)
{
    static struct parked parked[REGION_THREADS];
    enum {
        FSGSBASE = 1 << 1
    };
    dl_iterate_phdr(find_storage, NULL);
    storage.direct = getauxval(AT_HWCAP2) & FSGSBASE;
    for (unsigned i = 0; i < count; i++) {
        pthread_t thread;
        fibers[i].thread_pointer = thread_pointer();
        if (storage.size == 0 || i == THREAD_ALONE)
            continue;
        if (pthread_create(&thread, NULL, park, &parked[i]) != 0)
            return false;
        while (!(fibers[i].thread_pointer = atomic_load(&parked[i].pointer)))
            sched_yield();
        if (!shadow_add_storage(i, (char *)fibers[i].thread_pointer - storage.size, storage.size))
            return false;
    }
    return true;
}

static void reset_storage(const struct fiber *fiber)
{
    char *start = (char *)fiber->thread_pointer - storage.size;
    memcpy(start, storage.image, storage.image_size);
    memset(start + storage.image_size, 0, storage.size - storage.image_size);
}

const char *fiber_storage(const struct fiber *fiber, size_t *size)
{
    *size = storage.size;
    return (const char *)fiber->thread_pointer - storage.size;
}

/* ---- switching ---- */

/* Makes what was used of a stack 0 again: to below where it was at a switch, as far as there is
 * something. */
static void clear_stack(const struct fiber *fiber, unsigned thread)
{
    enum {
        PIECE = 1024
    };
    static const char nothing[PIECE];
    char *bottom = region_stack(thread), *start = fiber->lowest;
    if (!start)
        return;
    while (start - bottom >= PIECE && memcmp(start - PIECE, nothing, PIECE) != 0)
        start -= PIECE;
    for (const char *end = region_stack_end(thread); start < end; start += PIECE)
        memset(start, 0, end - start < PIECE ? (size_t)(end - start) : PIECE);
}

void fiber_prepare(struct fiber *fiber, unsigned thread, void (*entry)(void))
{
    clear_stack(fiber, thread);
    if (storage.size && thread != THREAD_ALONE)
        reset_storage(fiber);
    void **top = (void **)region_stack_end(thread);
    *--top = NULL; /* where `entry` would return to */
    *--top = (void *)entry;
    *--top = (void *)runtime_begin;
    fiber->stack_pointer = fiber->lowest = (char *)top;
}

void fiber_use_storage(const struct fiber *fiber)
{
    if (storage.size)
        set_thread_pointer(fiber->thread_pointer);
}
