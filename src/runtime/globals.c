#include "runtime/globals.h"

#include <link.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

extern char __start_linchpin_data[], __stop_linchpin_data[];
extern char __start_linchpin_bss[], __stop_linchpin_bss[];

static struct {
    char *start, *end;
    struct range {
        char *start;
        size_t size;
        char *kept;
    } ranges[GLOBALS_RANGES];
    size_t count;
} globals;

static int find_segment(struct dl_phdr_info *info, size_t size, void *unused)
{
    (void)size;
    (void)unused;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *header = &info->dlpi_phdr[i];
        char *start = (char *)(info->dlpi_addr + header->p_vaddr);
        if (header->p_type == PT_LOAD && header->p_flags & PF_W) {
            globals.start = start;
            globals.end = start + header->p_memsz;
        }
    }
    /* What the loader has made read-only is at the beginning of the segment. */
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *header = &info->dlpi_phdr[i];
        char *end = (char *)(info->dlpi_addr + header->p_vaddr) + header->p_memsz;
        enum {
            PAGE = 4096
        };
        end = (char *)(((uintptr_t)end + PAGE - 1) & ~(uintptr_t)(PAGE - 1));
        if (header->p_type == PT_GNU_RELRO && end > globals.start && end <= globals.end)
            globals.start = end;
    }
    return 1; /* the program itself comes first */
}

static void add_range(char *start, char *end)
{
    if (start < end)
        globals.ranges[globals.count++] =
            (struct range){.start = start, .size = (size_t)(end - start)};
}

bool globals_open(void)
{
    char *data = __start_linchpin_data, *data_end = __stop_linchpin_data;
    char *bss = __start_linchpin_bss, *bss_end = __stop_linchpin_bss;
    dl_iterate_phdr(find_segment, NULL);
    if (data > bss) {
        char *start = data, *end = data_end;
        data = bss, data_end = bss_end;
        bss = start, bss_end = end;
    }
    add_range(globals.start, data);
    add_range(data_end, bss);
    add_range(bss_end, globals.end);
    for (size_t i = 0; i < globals.count; i++)
        if (!(globals.ranges[i].kept = malloc(globals.ranges[i].size)))
            return false;
    globals_keep();
    return true;
}

void globals_keep(void)
{
    for (size_t i = 0; i < globals.count; i++)
        memcpy(globals.ranges[i].kept, globals.ranges[i].start, globals.ranges[i].size);
}

void globals_restore(void)
{
    for (size_t i = 0; i < globals.count; i++)
        memcpy(globals.ranges[i].start, globals.ranges[i].kept, globals.ranges[i].size);
}

const char *globals_range(size_t number, size_t *size)
{
    *size = number < globals.count ? globals.ranges[number].size : 0;
    return number < globals.count ? globals.ranges[number].start : NULL;
}

char *globals_start(void)
{
    return globals.start;
}

char *globals_end(void)
{
    return globals.end;
}
