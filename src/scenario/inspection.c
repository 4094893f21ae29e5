/* ELF of 64 bits, of this machine's order, and archives of such (ar). Every offset is looked at
 * before it is followed: the file may be anything. */
#include "scenario/inspection.h"

#include <ar.h>
#include <elf.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

struct image {
    const char *bytes;
    size_t size;
};

/* Null: it is not all in the image. */
static const void *at(const struct image *image, uint64_t offset, uint64_t size)
{
    if (offset > image->size || size > image->size - offset)
        return NULL;
    return image->bytes + offset;
}

/* ---- ELF ---- */

struct sections {
    const struct image *image;
    const char *table; /* of Elf64_Shdr, perhaps not aligned */
    size_t count, names;
};

static Elf64_Shdr section_header(const struct sections *sections, size_t number)
{
    Elf64_Shdr header;
    memcpy(&header, sections->table + number * sizeof header, sizeof header);
    return header;
}

static bool is_string(const struct sections *sections, size_t table, uint64_t offset,
                      const char *wanted)
{
    const Elf64_Shdr strings = section_header(sections, table);
    size_t length = strlen(wanted) + 1;
    const char *there = offset + length <= strings.sh_size
                            ? at(sections->image, strings.sh_offset + offset, length)
                            : NULL;
    return there && memcmp(there, wanted, length) == 0;
}

static bool open_sections(const struct image *image, Elf64_Ehdr *elf, struct sections *sections)
{
    const void *head = at(image, 0, sizeof *elf);
    if (!head)
        return false;
    memcpy(elf, head, sizeof *elf);
    if (memcmp(elf->e_ident, ELFMAG, SELFMAG) != 0 || elf->e_ident[EI_CLASS] != ELFCLASS64 ||
        elf->e_shentsize != sizeof(Elf64_Shdr) || elf->e_shoff == 0)
        return false;
    *sections = (struct sections){.image = image, .count = elf->e_shnum, .names = elf->e_shstrndx};
    sections->table = at(image, elf->e_shoff, sizeof(Elf64_Shdr));
    if (!sections->table)
        return false;
    if (sections->count == 0) /* too many for the header: the first section says */
        sections->count = section_header(sections, 0).sh_size;
    if (sections->names == SHN_XINDEX)
        sections->names = section_header(sections, 0).sh_link;
    return sections->count <= image->size / sizeof(Elf64_Shdr) &&
           at(image, elf->e_shoff, sections->count * sizeof(Elf64_Shdr)) &&
           sections->names < sections->count;
}

static bool defines_main(const struct sections *sections, const Elf64_Shdr *symbols)
{
    Elf64_Sym symbol;
    for (uint64_t i = 0; symbols->sh_link < sections->count && i < symbols->sh_size / sizeof symbol;
         i++) {
        const void *there =
            at(sections->image, symbols->sh_offset + i * sizeof symbol, sizeof symbol);
        if (!there)
            return false;
        memcpy(&symbol, there, sizeof symbol);
        if (symbol.st_shndx != SHN_UNDEF && ELF64_ST_BIND(symbol.st_info) != STB_LOCAL &&
            is_string(sections, symbols->sh_link, symbol.st_name, "main"))
            return true;
    }
    return false;
}

/* Appends the texts of a section, which may be apart by zeros. */
static void append_texts(const struct image *image, const Elf64_Shdr *section, struct text *text)
{
    const char *bytes = at(image, section->sh_offset, section->sh_size);
    for (uint64_t i = 0; bytes && i < section->sh_size; i++)
        if (bytes[i])
            text_append_char(text, bytes[i]);
}

static void read_elf(const struct image *image, struct inspection *inspection)
{
    Elf64_Ehdr elf;
    struct sections sections;
    bool made = false;
    if (!open_sections(image, &elf, &sections))
        return;
    if (inspection->kind == INSPECTED_OTHER)
        inspection->kind = elf.e_type == ET_REL ? INSPECTED_OBJECT : INSPECTED_LINKED;
    for (size_t i = 0; i < sections.count; i++) {
        const Elf64_Shdr section = section_header(&sections, i);
        if (section.sh_type == SHT_SYMTAB && elf.e_type == ET_REL)
            inspection->has_main |= defines_main(&sections, &section);
        else if (is_string(&sections, sections.names, section.sh_name, "lp_tests"))
            inspection->has_tests = true;
        else if (is_string(&sections, sections.names, section.sh_name, SECTION_UNSEEN))
            append_texts(image, &section, &inspection->unseen);
        else if (is_string(&sections, sections.names, section.sh_name, SECTION_RUNTIME))
            append_texts(image, &section, &inspection->runtime);
        else if (is_string(&sections, sections.names, section.sh_name, SECTION_FLAGS)) {
            append_texts(image, &section, &inspection->flags);
            made = true;
        }
    }
    inspection->objects++;
    inspection->made += made;
}

/* ---- archives ---- */

static void read_archive(const struct image *image, struct inspection *inspection)
{
    const struct ar_hdr *header;
    uint64_t offset = SARMAG;
    inspection->kind = INSPECTED_ARCHIVE;
    while ((header = at(image, offset, sizeof *header)) &&
           memcmp(header->ar_fmag, ARFMAG, sizeof header->ar_fmag) == 0) {
        char digits[sizeof header->ar_size + 1] = {0};
        memcpy(digits, header->ar_size, sizeof header->ar_size);
        uint64_t size = strtoull(digits, NULL, 10);
        const struct image member = {at(image, offset + sizeof *header, size), size};
        if (!member.bytes)
            return;
        read_elf(&member, inspection);
        offset += sizeof *header + size + size % 2;
    }
}

/* ---- files ---- */

void inspection_read(const char *path, struct inspection *inspection)
{
    struct stat facts;
    *inspection = (struct inspection){.kind = INSPECTED_OTHER};
    int file = open(path, O_RDONLY | O_CLOEXEC);
    bool readable = file >= 0 && fstat(file, &facts) == 0 && S_ISREG(facts.st_mode) &&
                    facts.st_size > (off_t)SARMAG;
    struct image image = {.size = readable ? (size_t)facts.st_size : 0};
    void *mapped = readable ? mmap(NULL, image.size, PROT_READ, MAP_PRIVATE, file, 0) : MAP_FAILED;
    if (file >= 0)
        close(file);
    if (mapped == MAP_FAILED)
        return;
    image.bytes = mapped;
    if (memcmp(image.bytes, ARMAG, SARMAG) == 0)
        read_archive(&image, inspection);
    else
        read_elf(&image, inspection);
    munmap(mapped, image.size);
}

void inspection_release(struct inspection *inspection)
{
    text_release(&inspection->flags);
    text_release(&inspection->unseen);
    text_release(&inspection->runtime);
}
