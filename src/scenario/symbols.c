#include "scenario/symbols.h"

#include <stdlib.h>
#include <string.h>

#define BOUND "linchpin_bound_"

/* What may be called as it is: it touches no memory that threads share, or only reads it, and keeps
 * no state of its own that another execution could see. A star stands for any end of a name. */
static const char *const harmless[] = {
    "putchar",
    "fputc",
    "putc",
    "fflush",
    "stdout",
    "stderr",
    "__ctype_b_loc",
    "__ctype_tolower_loc",
    "__ctype_toupper_loc",
    "isalpha",
    "isdigit",
    "tolower",
    "toupper",
    "abs",
    "labs",
    "llabs",
    "_setjmp",
    "setjmp",
    "__sigsetjmp",
    "__stack_chk_fail",
    "__dso_handle",
    "_GLOBAL_OFFSET_TABLE_",
    "__cxa_atexit",
    "__cxa_pure_virtual",
    "__cxa_deleted_virtual",
    "__gxx_personality_v0",
    "__gcc_personality_v0",
    "_Unwind_Resume",
    "__cxa_begin_catch",
    "__cxa_end_catch",
    "__cxa_rethrow",
    "__cxa_call_unexpected",
    "_ZTVN10__cxxabiv1*",
    "_ZTI*",
    "_ZTV*",
    "_ZTS*",
    "_ZSt*__throw_*",
    "_ZSt7nothrow",
    "_ZNSt8ios_base4InitC1Ev",
    "_ZNSt8ios_base4InitD1Ev",
    "_ZSt28__throw_bad_array_new_lengthv",
    "_ZSt17__throw_bad_allocv",
    "_ZNSt9exception*",
    "_ZNKSt*4whatEv",
    "_ZNSt*_errorC*",
    "_ZNSt*_errorD*",
    "_ZNSt*_error*_M_*",
    "_ZNSt11range_error*",
    "_ZNSt12out_of_range*",
    "_ZNSt16invalid_argument*",
    "_ZNSt8bad_cast*",
    "_ZNSt9bad_alloc*",
    "_ZNSt3_V215*_categoryEv",
    "_ZNSt3_V216generic_categoryEv",
    "_ZNSt3_V214error_category*",
    "_ZSt15future_categoryv",
    "_ZSt18uncaught_exceptionv",
    "_ZSt19uncaught_exceptionsv",
    "_ZSt17current_exceptionv",
    "_ZSt17rethrow_exceptionNSt15__exception_ptr13exception_ptrE",
    "_ZNSt15__exception_ptr13exception_ptr*",
    "_ZNKSt15__exception_ptr13exception_ptr*",
    "_ZNSt13__future_base12_Result_base*",
    "__cxa_init_primary_exception",
    "__cxa_get_exception_ptr",
    "__cxa_bad_cast",
    "__cxa_throw_bad_array_new_length",
    "__dynamic_cast",
    "__once_proxy",
    "_ZSt11__once_call",
    "_ZSt15__once_callable",
    "_ZTH*",
    "_ZTW*",
    /* of streams what is no template: the locale, which nobody changes, and what a stream has of
     * its own behind it */
    "_ZNSt6localeC1Ev",
    "_ZNSt6localeC1ERKS_",
    "_ZNSt6localeaSERKS_",
    "_ZNSt6localeD1Ev",
    "_ZNKSt6locale2id5_M_idEv",
    "_ZNSt6locale5facetD2Ev",
    "_ZNSt6locale5facet15_S_get_c_localeEv",
    "_ZNSt6locale5_Impl16_M_install_cacheEPKNS_5facetEm",
    "_ZNSt5ctypeIcE2idE",
    "_ZNKSt5ctypeIcE13_M_widen_initEv",
    "_ZNKSt5ctypeIcE14_M_narrow_initEv",
    "_ZNSt10__num_base11_S_atoms_inE",
    "_ZNSt10__num_base12_S_atoms_outE",
    "_ZNSt10__num_base15_S_format_floatERKSt8ios_basePcc",
    "_ZNSt8ios_baseC2Ev",
    "_ZNSt8ios_baseD2Ev",
    "_ZNSt8ios_base7_M_initEv",
    "_ZSt17__verify_groupingPKcmRKNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEE",
    "_ZSt4cout",
    "_ZSt4cerr",
    "_ZSt4clog",
    "__uselocale",
    "__start_lp_tests",
    "__stop_lp_tests",
    "__tls_get_addr",
    "__popcountdi2",
    "__popcountsi2",
    "sysconf",
    "getpagesize",
    "ceil",
    "floor",
    "sqrt",
    "pow",
    "log",
    "log2",
    "fmod",
};

/* What people will miss, and what to say of it. */
static const struct {
    const char *name, *what;
} unmodelled[] = {
    {"pthread_mutexattr_*", "robust mutexes and those with priorities"},
    {"pthread_mutex_*", "robust mutexes and those with priorities"},
    {"pthread_cancel", "cancelling threads"},
    {"__pthread_register_cancel", "cancelling threads"},
    {"pthread_*", "this function of pthreads"},
    {"sem_*", "semaphores that have names"},
    {"_ZSt25notify_all_at_thread_exit*", "std::notify_all_at_thread_exit"},
    {"_ZNSt13random_device*", "std::random_device, for what it gives differs from run to run,"},
    {"_ZStrsIcSt11char_traits*", "reading a std::string from a stream"},
    {"_ZSt7getlineIc*", "reading lines from a stream"},
    {"_ZNSi*", "reading lines and blocks from a stream"},
    {"_ZSt3cin", "std::cin, for what is read differs from run to run,"},
    {"_ZNSt6locale*", "changing locales"},
    {"_ZNSt8ios_base17*", "callbacks of streams"},
    {"_ZNSt12__basic_fileIcE*", "streams of files"},
    {"_ZNKSt12__basic_fileIcE*", "streams of files"},
    {"fork", "processes"},
    {"atexit", "what is done when a program ends"},
    {"at_quick_exit", "what is done when a program ends"},
    {"on_exit", "what is done when a program ends"},
    {"strtok*", "taking texts apart in place"},
    {"qsort_r", "sorting with an argument"},
    {"dlopen", "loading of libraries"},
    {"__asan_*", "other sanitizers"},
    {"__ubsan_*", "other sanitizers"},
    {"__msan_*", "other sanitizers"},
};

static bool name_fits(const char *pattern, const char *name, size_t length)
{
    const char *star = strchr(pattern, '*');
    if (!star)
        return strlen(pattern) == length && memcmp(pattern, name, length) == 0;
    size_t head = (size_t)(star - pattern), tail = strlen(star + 1);
    if (length < head || memcmp(pattern, name, head) != 0)
        return false;
    if (tail == 0)
        return true;
    if (star[tail] == '*') { /* something in the middle */
        for (size_t i = head; i + tail - 1 <= length; i++)
            if (memcmp(name + i, star + 1, tail - 1) == 0)
                return true;
        return false;
    }
    return length >= head + tail && memcmp(name + length - tail, star + 1, tail) == 0;
}

/* Goes through the lines of a text; false at its end. */
static bool next_line(const char **at, const char **line, size_t *length)
{
    if (!**at)
        return false;
    *line = *at;
    *length = strcspn(*at, "\n");
    *at += *length + ((*at)[*length] == '\n');
    return true;
}

static bool has_line(const struct text *text, const char *prefix, const char *name, size_t length)
{
    const char *at = text_string(text), *line;
    size_t size, head = strlen(prefix);
    while (next_line(&at, &line, &size))
        if (size == head + length && memcmp(line, prefix, head) == 0 &&
            memcmp(line + head, name, length) == 0)
            return true;
    return false;
}

static void append_line(struct text *text, const char *line, size_t length)
{
    text_append_bytes(text, line, length);
    text_append_char(text, '\n');
}

/* Keeps a line of `nm -P`: a name, a blank, a letter. Undefined symbols that are weak, 'w' and 'v',
 * need not be there. */
static void keep_symbol(struct symbols *symbols, bool is_runtime, const char *line)
{
    size_t name = strcspn(line, " \n");
    char letter = line[name] == ' ' ? line[name + 1] : 0;
    bool defined = letter && !strchr("Uwv", letter);
    if (is_runtime && defined)
        append_line(&symbols->names, line, name);
    else if (defined) {
        append_line(&symbols->defined, line, name);
        if (letter != 'W' && letter != 'V')
            append_line(&symbols->strong, line, name);
    } else if (!is_runtime && letter == 'U')
        append_line(&symbols->undefined, line, name);
}

/* One call of nm for all, as it takes longer to start than to read. */
enum status symbols_read(const char *runtime, const char *const *objects, size_t count,
                         struct budget *budget, struct symbols *symbols, struct error *error)
{
    struct words words;
    struct text output = TEXT_EMPTY;
    *symbols = (struct symbols){.budget = budget};
    words_init(&words, budget);
    enum status status =
        words_add(&words, "nm", "-P", "--extern-only", runtime, NULL) ? STATUS_OK : STATUS_LIMIT;
    for (size_t i = 0; status == STATUS_OK && i < count; i++)
        status = words_add(&words, objects[i], NULL) ? STATUS_OK : STATUS_LIMIT;
    if (status == STATUS_OK)
        status = command_need(&words, &output, error);
    const char *at = text_string(&output), *line;
    size_t length, head = strlen(runtime);
    bool is_runtime = true;
    while (status == STATUS_OK && next_line(&at, &line, &length))
        if (length && line[length - 1] == ':') /* the symbols of this file follow */
            is_runtime = length == head + 1 && memcmp(line, runtime, head) == 0;
        else
            keep_symbol(symbols, is_runtime, line);
    text_release(&output);
    words_release(&words);
    return status;
}

void symbols_release(struct symbols *symbols)
{
    text_release(&symbols->names);
    text_release(&symbols->defined);
    text_release(&symbols->strong);
    text_release(&symbols->undefined);
}

void symbols_write_map(const struct symbols *symbols, struct text *map)
{
    const char *at = text_string(&symbols->names), *line;
    size_t length, head = strlen(BOUND);
    while (next_line(&at, &line, &length))
        if (length > head && memcmp(line, BOUND, head) == 0)
            text_format(map, "%.*s %.*s\n", (int)(length - head), line + head, (int)length, line);
    text_append(map, "main " SYMBOLS_MAIN "\n");
}

static bool is_known(const struct symbols *symbols, const char *name, size_t length)
{
    if (has_line(&symbols->names, "", name, length) ||
        has_line(&symbols->names, BOUND, name, length) ||
        has_line(&symbols->defined, "", name, length))
        return true;
    for (size_t i = 0; i < ARRAY_LENGTH(harmless); i++)
        if (name_fits(harmless[i], name, length))
            return true;
    return false;
}

/* Finds a line of an object whose code uses a symbol: "foo.o: NAME U   /home/ada/ring.c:12". Where
 * nothing is known, or nm fails, the place stays as it is. */
static void find_use(const struct symbols *symbols, const char *const *objects, size_t count,
                     const char *name, size_t length, struct error *error)
{
    struct words words;
    struct text output = TEXT_EMPTY, wanted = TEXT_EMPTY;
    struct error ignored;
    bool succeeded, added;
    words_init(&words, symbols->budget);
    added = words_add(&words, "nm", "-A", "-P", "-l", "--undefined-only", NULL);
    for (size_t i = 0; added && i < count; i++)
        added = words_add(&words, objects[i], NULL);
    text_format(&wanted, ": %.*s U", (int)length, name);
    const char *found = NULL;
    if (added && command_run(&words, &output, NULL, &succeeded, &ignored) == STATUS_OK)
        found = strstr(text_string(&output), text_string(&wanted));
    const char *tab = found ? strpbrk(found, "\t\n") : NULL;
    if (tab && *tab == '\t') {
        size_t all = strcspn(tab + 1, "\n"), file = all;
        while (file > 0 && tab[file] != ':') /* the last colon */
            file--;
        char *path = file ? strndup(tab + 1, file - 1) : NULL;
        if (path) {
            error_set_file(error, path);
            error->line = (uint32_t)strtoul(tab + 1 + file, NULL, 10);
        }
        free(path);
    }
    text_release(&output);
    text_release(&wanted);
    words_release(&words);
}

/* The name as the source has it: "std::ios_base::Init::Init()". */
static void append_name(const char *name, size_t length, struct budget *budget, struct text *text)
{
    struct words words;
    struct text own = TEXT_EMPTY, output = TEXT_EMPTY;
    struct error ignored;
    bool succeeded = false;
    text_append_bytes(&own, name, length);
    words_init(&words, budget);
    if (length > 2 && memcmp(name, "_Z", 2) == 0 &&
        words_add(&words, "c++filt", text_string(&own), NULL) &&
        command_run(&words, &output, NULL, &succeeded, &ignored) != STATUS_OK)
        succeeded = false;
    const char *shown = text_string(succeeded ? &output : &own);
    text_append_bytes(text, shown, strcspn(shown, "\n"));
    words_release(&words);
    text_release(&own);
    text_release(&output);
}

static enum status refuse(const char *name, size_t length, struct budget *budget,
                          struct error *error)
{
    enum status status;
    struct text shown = TEXT_EMPTY;
    const char *what = NULL;
    append_name(name, length, budget, &shown);
    for (size_t i = 0; i < ARRAY_LENGTH(unmodelled); i++)
        if (!what && name_fits(unmodelled[i].name, name, length))
            what = unmodelled[i].what;
    if (what)
        status = error_set(error, STATUS_INPUT, NULL, 0,
                           "the code uses %s: %s cannot be tested yet", text_string(&shown), what);
    else
        status = error_set(error, STATUS_INPUT, NULL, 0,
                           "the code uses %s, which is neither defined by the sources, nor "
                           "modelled, nor known to be harmless: name the source that defines it, "
                           "or put a function in its place",
                           text_string(&shown));
    text_release(&shown);
    return status;
}

/* A function of the sources that would take the place of one of the runtime, which then would not
 * see what it does. */
static enum status refuse_definition(const char *name, size_t length, struct budget *budget,
                                     struct error *error)
{
    struct text shown = TEXT_EMPTY;
    append_name(name, length, budget, &shown);
    enum status status = error_set(error, STATUS_INPUT, NULL, 0,
                                   "the sources define %s themselves: it cannot be tested yet, "
                                   "for what it does is modelled",
                                   text_string(&shown));
    text_release(&shown);
    return status;
}

enum status symbols_check(const struct symbols *symbols, const char *const *objects, size_t count,
                          struct error *error)
{
    const char *own = text_string(&symbols->strong), *at = text_string(&symbols->undefined), *line;
    size_t length;
    enum status status = STATUS_OK;
    while (status == STATUS_OK && next_line(&own, &line, &length))
        if (has_line(&symbols->names, BOUND, line, length))
            status = refuse_definition(line, length, symbols->budget, error);
    while (status == STATUS_OK && next_line(&at, &line, &length))
        if (!is_known(symbols, line, length)) {
            status = refuse(line, length, symbols->budget, error);
            find_use(symbols, objects, count, line, length, error);
        }
    return status;
}
