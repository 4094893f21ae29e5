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

void runtime_switch(void **save, void *to);

__asm__(".text\n"
        ".globl runtime_switch\n"
        ".hidden runtime_switch\n"
        ".type runtime_switch, @function\n"
        "runtime_switch:\n"
        "  push %rbp\n  push %rbx\n  push %r12\n  push %r13\n  push %r14\n  push %r15\n"
        "  mov %rsp, (%rdi)\n"
        "  mov %rsi, %rsp\n"
        "  pop %r15\n  pop %r14\n  pop %r13\n  pop %r12\n  pop %rbx\n  pop %rbp\n"
        "  ret\n"
        ".size runtime_switch, . - runtime_switch\n");

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

void runtime_bottom(void);

enum {
    SAVED_REGISTERS = 6,
    SAVED_RBX = 1 /* of those below the return address */
};

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
    *--top = (void *)runtime_bottom;
    for (int i = 0; i < SAVED_REGISTERS; i++)
        *--top = i == SAVED_RBX ? (void *)entry : NULL;
    fiber->stack_pointer = fiber->lowest = (char *)top;
}

void fiber_switch(struct fiber *from, const struct fiber *to)
{
    if (storage.size && from->thread_pointer != to->thread_pointer)
        set_thread_pointer(to->thread_pointer);
    char *here = __builtin_frame_address(0);
    if (here < from->lowest)
        from->lowest = here;
    runtime_switch(&from->stack_pointer, to->stack_pointer);
}
