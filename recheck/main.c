#include <errno.h>
#include <getopt.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/sha256.h"
#include "recheck.h"

#define VERSION_OF_FORMAT 1

/* The certificate, which is read line by line. */
struct evidence {
    const struct file *proof;
    size_t at, line; /* of the line that was read last */
    int64_t given;   /* lines of evidence for the claim */
    bool ended;
};

/* Where the program is, for messages, and what it was asked. */
static struct {
    struct evidence evidence;
    struct file *inputs;
    const char *input, *automaton; /* of the claim, as the files are called here */
    size_t input_count, limit;
    bool quiet, lacks; /* something has no certificate */
} run = {.limit = 10000000};

enum {
    ACCEPTED,
    REFUSED,
    UNREADABLE,
    UNDECIDED
};

/* Nothing has been released, and no sanitizer need look for it. */
_Noreturn static void quit(int status)
{
    _exit(fflush(stdout) ? UNREADABLE : status);
}

/* ---- files and messages ---- */

/* What comes from the certificate is told on one line, and does nothing to a terminal. */
static void print_text(const char *text)
{
    for (; *text; text++)
        if ((unsigned char)*text < ' ' || *text == 0x7f)
            printf("\\x%02x", (unsigned)*text);
        else
            putchar(*text);
}

__attribute__((format(printf, 2, 0))) static void tell(const char *what, const char *format,
                                                       va_list arguments)
{
    char text[4096];
    printf("%s:%zu: %s: ", run.evidence.proof->path, run.evidence.line, what);
    vsnprintf(text, sizeof text, format, arguments);
    print_text(text);
    putchar('\n');
}

_Noreturn void refuse(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    tell("refused", format, arguments);
    quit(REFUSED);
}

_Noreturn void not_known(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    tell("unknown", format, arguments);
    quit(UNDECIDED);
}

_Noreturn void too_large(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    tell("unknown: too large", format, arguments);
    quit(UNDECIDED);
}

_Noreturn void unreadable(const char *path, size_t line, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    fprintf(stderr, "%s:", path);
    if (line)
        fprintf(stderr, "%zu:", line);
    fprintf(stderr, " error: ");
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
    va_end(arguments);
    quit(UNREADABLE);
}

void *room(void *old, size_t count, size_t size)
{
    void *made = reallocarray(old, count ? count : 1, size);
    if (!made)
        unreadable("linchpin-recheck", 0, "memory is refused");
    return made;
}

static struct file load(const char *path)
{
    FILE *in = fopen(path, "rb");
    char *bytes = NULL;
    size_t length = 0, capacity = 0, taken;
    if (!in)
        unreadable(path, 0, "cannot be read: %s", strerror(errno));
    do {
        if (length + 1 >= capacity)
            bytes = room(bytes, capacity = 2 * capacity + 65536, 1);
        length += taken = fread(bytes + length, 1, capacity - length - 1, in);
    } while (taken > 0);
    if (ferror(in))
        unreadable(path, 0, "cannot be read: %s", strerror(errno));
    fclose(in);
    bytes[length] = 0;
    return (struct file){path, bytes, length};
}

static bool has_digest(const struct file *file, value digest)
{
    char digits[SHA256_DIGITS + 1];
    struct sha256 sha;
    sha256_init(&sha);
    sha256_add(&sha, file->bytes, file->length);
    sha256_end(&sha, digits);
    return value_is(digest, digits);
}

static const struct file *note_checked(const char *key, const struct file *file)
{
    if (strcmp(key, "input") == 0)
        run.input = file->path;
    else
        run.automaton = file->path;
    return file;
}

const struct file *claimed_input(value claim, const char *key, const char *sha256)
{
    value path = get_field(claim, key), digest = get_field(claim, sha256);
    struct file *stored = room(NULL, 1, sizeof *stored);
    if (!path || path->kind != STRING || !digest)
        refuse("the claim names no input, or not its SHA-256");
    for (size_t i = 0; i < run.input_count; i++)
        if (has_digest(&run.inputs[i], digest))
            return note_checked(key, &run.inputs[i]);
    if (run.input_count)
        refuse("no input that was given has the SHA-256 of %s", path->text);
    *stored = load(path->text);
    if (!has_digest(stored, digest))
        refuse("%s has another SHA-256", stored->path);
    return note_checked(key, stored);
}

/* ---- the certificate ---- */

static value next_line_of(struct evidence *evidence)
{
    const char *text;
    size_t length;
    if (!next_line(evidence->proof, &evidence->at, &evidence->line, &text, &length))
        refuse("the certificate ends too early");
    value v = read_json(evidence->proof->path, evidence->line, text, length);
    if (v->kind != MAP)
        unreadable(evidence->proof->path, evidence->line, "expected an object");
    return v;
}

value next_evidence(struct evidence *evidence)
{
    int64_t end;
    if (evidence->ended)
        return NULL;
    value line = next_line_of(evidence);
    value ends = get_field(line, "end");
    if (!ends) {
        evidence->given++;
        return line;
    }
    if (!get_integer(ends, &end) || end != evidence->given)
        refuse("expected the end of the evidence after %s lines, found it after %lld", ends->text,
               (long long)evidence->given);
    evidence->ended = true;
    return NULL;
}

static const struct {
    const char *claim;
    void (*check)(value claim, struct evidence *evidence, size_t limit);
    const char *told; /* a field that is checked, besides the verdict */
} checks[] = {{"history", check_history, "spec"},
              {"automaton", check_automaton, "spec"},
              {"net", check_net, NULL},
              {"model", check_model, "assertion"}};

/* What was checked: nothing of it may be what the certificate says for people. */
static void tell_accepted(value claim, const char *told, size_t line)
{
    bool has_options = value_is(get_field(claim, "claim"), "history");
    value options = has_options ? get_field(claim, "options") : NULL;
    printf("%s:%zu: accepted: ", run.evidence.proof->path, line);
    print_text(run.input);
    print_text(": ");
    print_text(get_field(claim, "verdict")->text);
    if (told) {
        print_text(": ");
        print_text(get_field(claim, told)->text);
    }
    if (run.automaton) {
        print_text(": ");
        print_text(run.automaton);
    }
    for (size_t i = 0; options && i < options->length; i += 2)
        if (options->items[i + 1] != value_boolean(false))
            printf(", %s", options->items[i]->text);
    putchar('\n');
}

static void check_claim(value claim, struct evidence *evidence)
{
    value what = get_field(claim, "claim"), none = get_field(claim, "none");
    if (none) {
        printf("%s:%zu: unknown: no certificate: ", evidence->proof->path, evidence->line);
        print_text(none->kind == STRING ? none->text : "");
        putchar('\n');
        run.lacks = true;
        return;
    }
    size_t i = 0, line = evidence->line;
    while (i < LENGTH(checks) && !value_is(what, checks[i].claim))
        i++;
    if (i == LENGTH(checks))
        refuse("linchpin-recheck knows no such claim");
    evidence->given = 0;
    evidence->ended = false;
    run.automaton = NULL;
    checks[i].check(claim, evidence, run.limit);
    if (next_evidence(evidence))
        refuse("there is more evidence than the claim needs");
    if (!run.quiet)
        tell_accepted(claim, checks[i].told, line);
}

static void check_certificate(const struct file *proof)
{
    struct evidence *evidence = &run.evidence;
    int64_t number, claims = 0;
    *evidence = (struct evidence){.proof = proof};
    if (!get_integer(get_field(next_line_of(evidence), "linchpin_proof"), &number) ||
        number != VERSION_OF_FORMAT)
        unreadable(proof->path, 1, "expected a certificate of linchpin, version %d",
                   VERSION_OF_FORMAT);
    for (;; claims++) {
        value line = next_line_of(evidence);
        value all = get_field(line, "claims");
        if (all && (!get_integer(all, &number) || number != claims))
            refuse("expected %s claims, found %lld", all->text, (long long)claims);
        if (all)
            break;
        check_claim(line, evidence);
    }
    if (claims == 0)
        refuse("nothing is claimed");
    if (evidence->at < proof->length)
        refuse("the certificate goes on behind its end");
}

/* ---- the command line ---- */

static const char help[] =
    "Usage: linchpin-recheck [OPTION]... PROOF [INPUT]...\n"
    "Checks a certificate that `linchpin --proof PROOF` has written.\n"
    "\n"
    "The inputs that it speaks of are found by their SHA-256 among those given; if none is, they\n"
    "are read where linchpin had read them.\n"
    "\n"
    "  --limit N       take up at most N configurations, markings or states (10000000)\n"
    "  -q, --quiet     say nothing of what is accepted\n"
    "  --help          show this\n"
    "  --version       show the version\n"
    "\n"
    "Exit status: 0 everything is accepted; 1 something is refused; 2 a file cannot be read, or\n"
    "the command line is wrong; 3 nothing is refused, but something has no certificate, or is too\n"
    "large, or not known to linchpin-recheck.\n";

static void parse_options(int argc, char **argv)
{
    static const struct option options[] = {{"limit", required_argument, NULL, 'l'},
                                            {"quiet", no_argument, NULL, 'q'},
                                            {"help", no_argument, NULL, 'h'},
                                            {"version", no_argument, NULL, 'v'},
                                            {NULL, 0, NULL, 0}};
    for (int option; (option = getopt_long(argc, argv, "q", options, NULL)) != -1;) {
        char *end = NULL;
        if (option == 'l' && (run.limit = strtoull(optarg, &end, 10), *optarg != '-') &&
            end != optarg && *end == 0)
            continue;
        else if (option == 'q')
            run.quiet = true;
        else if (option == 'h' || option == 'v') {
            printf("%s", option == 'h' ? help : "linchpin-recheck " LP_VERSION "\n");
            quit(ACCEPTED);
        } else {
            fputs("linchpin-recheck: see linchpin-recheck --help\n", stderr);
            quit(UNREADABLE);
        }
    }
}

int main(int argc, char **argv)
{
    parse_options(argc, argv);
    if (optind == argc)
        unreadable("linchpin-recheck", 0, "expected a certificate; see linchpin-recheck --help");
    struct file proof = load(argv[optind]);
    run.input_count = (size_t)(argc - optind - 1);
    run.inputs = room(NULL, run.input_count, sizeof *run.inputs);
    for (size_t i = 0; i < run.input_count; i++)
        run.inputs[i] = load(argv[(size_t)optind + 1 + i]);
    check_certificate(&proof);
    quit(run.lacks ? UNDECIDED : ACCEPTED);
}
