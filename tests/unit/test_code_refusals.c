/* Real code: what the runtime would not see, or not run as it is, is refused by name before
 * anything is run; what is harmless is not. */
#include <stdlib.h>
#include <string.h>

#include "support/code_fixture.h"

#define HEAD                                                                                       \
    "#include <linchpin/test.h>\n#include <pthread.h>\n#include <immintrin.h>\n"                   \
    "#include <stdio.h>\n#include <stdlib.h>\nint x; extern int foreign(void);\n"                  \
    "static lp_int a(void *o, lp_int v) { (void)o; (void)v;\n"
#define HEAD_CPP "#include <fstream>\n#include <iostream>\n#include <sstream>\n"
#define TAIL     " return LP_DONE; }\nLP_TEST(t, .ops = {{\"a\", a}});\n"

/* Another function, and then one that the end of the text closes. */
#define WITH(TARGET) "return 0; } __attribute__((target(\"" TARGET "\"))) lp_int more(int n) { "
#define WITH_AVX2    WITH("avx2")
#define ENDS         " return 0; } lp_int last(void) {"

static const struct refused {
    const char *text, *suffix, *flag, *named; /* what the message must have */
} refused[] = {
    {"__asm__ volatile(\"lock incl %0\" : \"+m\"(x));", ".c", "-O2", "incl"},
    {"__asm__ volatile(\"movl $1, %0\" : \"=m\"(x));", ".c", "-O2", "movl"},
    {"__asm__ volatile(\"mfence\" ::: \"memory\");", ".c", "-O0", "mfence"},
    {"_mm_mfence();", ".c", "-O2", "mfence"},
    {"x = foreign();", ".c", "-O2", "foreign"},
    {"pthread_cancel(pthread_self());", ".c", "-O2", "cancelling threads"},
    {"x = atexit(0);", ".c", "-O2", "atexit"},
    {"x = 1; } size_t strlen(const char *t) { return *t == 0;", ".c", "-fno-builtin",
     "define strlen themselves"},
    {"return 0; } void *operator new(std::size_t size) { return std::malloc(size); } lp_int "
     "more(int) {",
     ".cc", "-O2", "define operator new(unsigned long) themselves"},
    {"std::ifstream f(\"x\"); x = f.is_open();", ".cc", "-O2", "uses std::"},
    {"FILE *f = fopen(\"x\", \"r\"); x = f != NULL;", ".c", "-O2", "fopen"},
    {"std::string s; std::istringstream(\"a\") >> s; x = (int)s.size();", ".cc", "-O2",
     "reading a std::string"},
    {"std::cin >> x;", ".cc", "-O2", "std::cin"},
    {"std::ofstream f(\"x\"); f << x;", ".cc", "-O2", "cannot be tested yet"},
    {"extern long syscall(long, ...); x = (int)syscall(39);", ".c", "-O0", "found number 39"},
    {"extern long syscall(long, ...); x = (int)syscall(39);", ".c", "-O2", "found number 39"},
    {"return 0; } __asm__(\".globl f\\nf: ret\\n\"); lp_int more(void) {", ".c", "-O2",
     "inline assembly"},
    {"return 0; } __asm__(\".globl f\\nf: ret\\n\"); lp_int more(void) {", ".c", "-fno-verbose-asm",
     "inline assembly"},
    {"x = (int)__builtin_ia32_rdtsc();", ".c", "-O2", "`rdtsc`, that gives something else"},
    {"_mm_stream_si32(&x, 1);", ".c", "-O2", "movnti"},
    {"_mm_maskmoveu_si128(_mm_setzero_si128(), _mm_set1_epi8((char)v), (char *)&x);", ".c", "-O2",
     "maskmovdqu"},
    {WITH_AVX2 "_mm256_maskstore_epi32(&x, _mm256_set1_epi32(n), _mm256_setzero_si256()); " ENDS,
     ".c", "-O2", "vpmaskmovd"},
    {WITH_AVX2
     "x = _mm256_extract_epi32(_mm256_i32gather_epi32(&x, _mm256_set1_epi32(n), 4), 1);" ENDS,
     ".c", "-O2", "vpgatherdd"},
    {WITH("fxsr") "_fxsave(&x);" ENDS, ".c", "-O2", "`fxsave"},
    {WITH("fxsr") "_fxrstor(&x);" ENDS, ".c", "-O2", "`fxrstor"},
    {WITH("xsave") "_xsave(&x, 1);" ENDS, ".c", "-O2", "`xsave"},
    {WITH("xsave") "_xrstor(&x, 1);" ENDS, ".c", "-O2", "`xrstor"},
    {"x = 1;", ".c", "-flto", "-flto"},
    {"x = 1;", ".c", "-m32", "-m32"},
    {"x = 1;", ".c", "-masm=intel", "-masm=intel"},
    {"x = 1;", ".c", "-fsanitize=address", "sanitizers"},
    {"x = 1;", ".rs", "-O2", "expected a source of C"},
    {"x = ;", ".c", "-O2", "error:"},
};

static const char *const accepted[] = {
    "__asm__ volatile(\"\" ::: \"memory\");",
    "__asm__ volatile(\"pause\" ::: \"memory\");",
    "__builtin_ia32_pause(); _mm_pause();",
    "x++; printf(\"%d\\n\", x);",
};

static void check_refused(const char *compiler)
{
    struct error error;
    if (!code_has_compiler(compiler))
        skip();
    setenv("CC", compiler, 1);
    setenv("CXX", strcmp(compiler, "gcc") == 0 ? "g++" : "clang++", 1);
    for (size_t i = 0; i < ARRAY_LENGTH(refused); i++) {
        struct text text = TEXT_EMPTY;
        bool is_cpp = strcmp(refused[i].suffix, ".cc") == 0;
        text_format(&text, "%s" HEAD "%s" TAIL, is_cpp ? HEAD_CPP : "", refused[i].text);
        code_build_refused(text_string(&text), refused[i].suffix, refused[i].flag, &error);
        if (!strstr(error.message, refused[i].named))
            fail_msg("%s: expected '%s' in: %s", refused[i].text, refused[i].named, error.message);
        text_release(&text);
    }
    unsetenv("CC");
    unsetenv("CXX");
}

static void gcc_code_that_is_not_seen_is_refused(void **state)
{
    (void)state;
    check_refused("gcc");
}

static void clang_code_that_is_not_seen_is_refused(void **state)
{
    (void)state;
    check_refused("clang");
}

/* Each by itself: what a function for an instruction writes, or reads, of `room`. */
static const struct {
    const char *access;
    bool by_gcc; /* what clang makes of it is refused */
} accesses[] = {
    {"_mm_storeh_pi((__m64 *)room, four);", false},
    {"_mm_storel_pi((__m64 *)room, four);", false},
    {"four = _mm_loadh_pi(four, (__m64 *)room);", false},
    {"four = _mm_loadl_pi(four, (__m64 *)room);", false},
    {"two = _mm_loadh_pd(two, room);", false},
    {"two = _mm_loadl_pd(two, room);", false},
    {"_mm_storeh_pd(room, two);", false},
    {"_mm_storel_pd(room, two);", false},
    {"two = _mm_loaddup_pd(room);", false},
    {"two = (__m128d)_mm_lddqu_si128((__m128i *)room);", true},
    {"_addcarry_u64(1, 2, 3, (unsigned long long *)room);", false},
    {"_addcarry_u32(1, 2, 3, (unsigned *)room);", false},
    {"_subborrow_u64(1, 2, 3, (unsigned long long *)room);", false},
    {"_subborrow_u32(1, 2, 3, (unsigned *)room);", false},
    {"four = _mm_broadcast_ss((float *)room);", false},
    {"eight = _mm256_broadcast_ss((float *)room);", true},
    {"eight = (__m256)_mm256_broadcast_sd(room);", true},
    {"eight = _mm256_broadcast_ps((__m128 *)room);", true},
    {"eight = (__m256)_mm256_broadcast_pd((__m128d *)room);", true},
    {"eight = (__m256)_mm256_lddqu_si256((__m256i *)room);", true},
};

/* A plain write of the first byte races with each. */
static void check_seen(const char *compiler, const char *flag)
{
    struct text text = TEXT_EMPTY;
    struct code_fixture code;
    bool is_gcc = strcmp(compiler, "gcc") == 0;
    if (!code_has_compiler(compiler) || !__builtin_cpu_supports("avx"))
        skip();
    text_append(&text, "#include <linchpin/test.h>\n#include <immintrin.h>\ndouble room[4];\n"
                       "static lp_int touch(void *o, lp_int v) { (void)o; (void)v; "
                       "*(char *)room = 1; return LP_DONE; }\n");
    for (size_t i = 0; i < ARRAY_LENGTH(accesses); i++)
        if (is_gcc || !accesses[i].by_gcc)
            text_format(
                &text,
                "static __attribute__((target(\"avx,sse3\"))) lp_int a%zu(void *o, lp_int v) "
                "{ (void)o; (void)v; __m128 four = {1}; __m128d two = {1}; %s\n%s"
                "return (lp_int)(four[0] + four[2] + two[0] + two[1]%s); }\n"
                "LP_TEST(t%zu, .ops = {{\"a\", a%zu}, {\"b\", touch}});\n",
                i, accesses[i].by_gcc ? "__m256 eight = {1};" : "", accesses[i].access,
                accesses[i].by_gcc ? " + eight[4]" : "", i, i);
    setenv("CC", compiler, 1);
    code_build_text(&code, text_string(&text), ".c", flag);
    unsetenv("CC");
    for (size_t i = 0; i < code.tests.items.length; i++) {
        struct exchange_result result;
        code_run(&code, i, MEMORY_RC11, "a | b", &result);
        if (result.end != END_FINDING || result.finding.kind != FINDING_RACE)
            fail_msg("%s %s: no race of %s", compiler, flag, code.tests.items.items[i].name);
    }
    code_release(&code);
    text_release(&text);
}

static void what_functions_for_instructions_access_is_seen(void **state)
{
    (void)state;
    check_seen("gcc", "-O0");
    check_seen("gcc", "-O2");
    check_seen("clang", "-O2");
}

/* gcc instruments what its vectors access. */
static void wide_accesses_of_clang_are_refused(void **state)
{
    (void)state;
    struct error error;
    if (!code_has_compiler("clang"))
        skip();
    setenv("CC", "clang", 1);
    code_build_refused(
        HEAD "return 0; }\nint room[64]; __attribute__((target(\"avx2\"))) void f(void) {\n"
             "_mm256_storeu_si256((void *)room, _mm256_setzero_si256());\n}\n"
             "lp_int last(void) {" TAIL,
        ".c", "-O2", &error);
    assert_non_null(strstr(error.message, "more than 16 bytes"));
    unsetenv("CC");
}

/* Sizes that clang does not instrument: in memory that others may see, and in what they cannot. */
static void odd_sizes_of_clang_are_refused(void **state)
{
    (void)state;
    static const struct {
        const char *text, *flag;
        bool refused;
    } sizes[] = {
        {"*at = (struct three){{1, 2, 3}};", "-O2", false}, /* memcpy, which is seen */
        {"*at = make();", "-O0", false},
        {"*at = make();", "-O2", true},
        {"field.low = (unsigned)v;", "-O0", true},
        {"field.low = (unsigned)v;", "-O2", true},
        {"wide += 1;", "-O2", true},
        {"struct three *p = o; p[v] = make();", "-O2", true},
        {"struct three own = make(); own.c[1]++; sink(&own);", "-O0", false},
        {"static const struct three none = {{4, 5, 6}}; struct three own = none; sink(&own);",
         "-O2", false},
        {"at->c[1] = 1; field.high = 2; v = (lp_int)(1.0L * v);", "-O2", false},
    };
    if (!code_has_compiler("clang"))
        skip();
    setenv("CC", "clang", 1);
    for (size_t i = 0; i < ARRAY_LENGTH(sizes); i++) {
        struct text text = TEXT_EMPTY;
        struct error error = {0};
        text_format(
            &text,
            "#include <linchpin/test.h>\nstruct three { char c[3]; } all, *at = &all;\n"
            "struct { unsigned low : 20; char high; } field; long double wide;\n"
            "static struct three (*volatile make)(void);\n"
            "static void (*volatile sink)(struct three *);\n"
            "static lp_int a(void *o, lp_int v) { (void)o; (void)v; (void)make; (void)sink;\n"
            "%s" TAIL,
            sizes[i].text);
        if (sizes[i].refused) {
            code_build_refused(text_string(&text), ".c", sizes[i].flag, &error);
            if (!strstr(error.message, "does not instrument an access of") || error.line != 7)
                fail_msg("%s: line %u: %s", sizes[i].text, (unsigned)error.line, error.message);
        } else {
            struct code_fixture code;
            code_build_text(&code, text_string(&text), ".c", sizes[i].flag);
            code_release(&code);
        }
        text_release(&text);
    }
    unsetenv("CC");
}

/* gcc loads what is passed by value, and stores what is returned, without a word. */
#define PAIRS                                                                                      \
    "#include <linchpin/test.h>\nstruct pair { long l[3]; };\n"                                    \
    "struct pair all, own_1[2], *at = &all; static long (*volatile sum)(struct pair);\n"           \
    "static struct pair (*volatile make)(int, struct pair *);\n"                                   \
    "static lp_int a(void *o, lp_int v) { (void)o; (void)v;\n"

static const struct {
    const char *text, *named; /* what is refused; null: nothing is */
} calls[] = {
    {"sum(*at);", "passed by value"},
    {"sum(all);", "passed by value"},
    {"sum(own_1[v]);", "passed by value"},
    {"sum(at[v + 1]);", "passed by value"},
    {"static struct pair kept; kept.l[v] = 1; sum(kept);", "passed by value"},
    {"struct { int n; struct pair of; } *in = o; sum(in->of);", "passed by value"},
    {"*at = make(1, 0);", "a function returns"},
    {"all = make(1, 0);", "a function returns"},
    {"own_1[1] = make(1, &all);", "a function returns"},
    {"struct pair mine = *at; mine.l[v] = 1; sum(mine);", NULL},
    {"struct pair mine = make(1, &all); return sum(mine); } long more(struct pair p) { p.l[0]++;"
     "return sum(p); } int last(void) {",
     NULL},
    {"struct pair mine[2] = {{{1}}}; mine[v].l[1] = 2; sum(mine[1]);", NULL},
    {"extern int atexit(void (*)(void)); extern void then(int (*)(void (*)(void)));"
     "if (v > 9) __builtin_printf(\"%s, *p>\", \"->\"); sum((struct pair){{v, 2, 3}});",
     NULL},
};

static void calls_of_gcc_with_structures_are_refused(void **state)
{
    (void)state;
    static const char *const flags[] = {"-O0", "-O2"};
    for (size_t i = 0; i < ARRAY_LENGTH(calls) * ARRAY_LENGTH(flags); i++) {
        const char *flag = flags[i % ARRAY_LENGTH(flags)];
        size_t number = i / ARRAY_LENGTH(flags);
        struct error error = {0};
        struct text text = TEXT_EMPTY;
        text_format(&text, PAIRS "%s" TAIL, calls[number].text);
        if (calls[number].named) {
            code_build_refused(text_string(&text), ".c", flag, &error);
            if (!strstr(error.message, calls[number].named) || error.line != 6)
                fail_msg("%s, %s: refused at line %u: %s", calls[number].text, flag,
                         (unsigned)error.line, error.message);
        } else {
            struct code_fixture code;
            code_build_text(&code, text_string(&text), ".c", flag);
            code_release(&code);
        }
        text_release(&text);
    }
}

/* Constructors make things where they belong, and functions are no variables. */
static void calls_of_gcc_that_are_seen_are_accepted(void **state)
{
    (void)state;
    struct code_fixture code;
    code_build_text(&code,
                    "#include <linchpin/test.h>\n#include <functional>\n#include <memory>\n"
                    "#include <optional>\n#include <string>\n#include <thread>\n"
                    "namespace n { std::string make(); std::string make() { return \"made\"; } }\n"
                    "struct Has { std::string text; std::function<int()> f; std::optional<int> n;\n"
                    "Has() : text(n::make()), f([] { return 1; }) {}\n"
                    "int run() { auto *p = new std::string(n::make()); delete p; n = 3;\n"
                    "auto s = std::make_shared<std::string>(n::make()); text = n::make();\n"
                    "std::thread t([this] { f(); }); t.join(); return n.value_or(1); } };\n"
                    "LP_CLASS(Has, nullptr, LP_METHOD(Has, \"run\", run));\n",
                    ".cc", "-O0");
    code_release(&code);
}

/* What has no constructor is written by the function as if it were a variable of its own. */
static void results_that_gcc_makes_in_place_are_refused(void **state)
{
    (void)state;
    static const char *const made[] = {
        "static lp_int a(void *, lp_int v) { new (&all) P(n::T::make(v)); return 0; }",
        "static lp_int a(void *, lp_int v) { new (&all) P(n::two<int, long>(1, v)); return 0; }",
        "struct C { P p; C() : p(n::T::make(2)) {} }; lp_int a(void *, lp_int) { return "
        "(lp_int)new C; "
        "}",
    };
    static const char *const flags[] = {"-O0", "-O2"};
    for (size_t i = 0; i < ARRAY_LENGTH(made) * ARRAY_LENGTH(flags); i++) {
        struct error error = {0};
        struct text text = TEXT_EMPTY;
        text_format(&text,
                    "#include <linchpin/test.h>\n#include <new>\nstruct P { long a, b, c; };\n"
                    "#define HERE static __attribute__((noinline))\n"
                    "P all; namespace n { struct T { HERE P make(long v) {\n"
                    "P p; p.a = v; p.b = v; p.c = v; return p; } };\n"
                    "template <class A, class B> HERE P two(A a, B b) { return P{a, b, b}; } }\n"
                    "%s\nLP_TEST(made, .ops = {{\"a\", a}});\n",
                    made[i / ARRAY_LENGTH(flags)]);
        code_build_refused(text_string(&text), ".cc", flags[i % ARRAY_LENGTH(flags)], &error);
        if (!strstr(error.message, "a function returns") || error.line != 8)
            fail_msg("%s: line %u: %s", made[i / ARRAY_LENGTH(flags)], (unsigned)error.line,
                     error.message);
        text_release(&text);
    }
}

static void assembly_is_named_with_its_line(void **state)
{
    (void)state;
    struct error error;
    code_build_refused(HEAD "x = 2;\n__asm__ volatile(\"incl %0\" : \"+m\"(x));" TAIL, ".c", "-O2",
                       &error);
    assert_int_equal(error.line, 9);
}

/* Behind eight lines: the place where the code uses it, not that of a header. */
static void what_is_refused_is_named_with_its_line(void **state)
{
    (void)state;
    static const char *const uses[] = {"_mm_mfence();", "x = foreign();", "pthread_cancel(0);"};
    static const char *const compilers[] = {"gcc", "clang"};
    for (size_t i = 0; i < ARRAY_LENGTH(uses); i++)
        for (size_t k = 0; k < ARRAY_LENGTH(compilers); k++) {
            struct error error;
            struct text text = TEXT_EMPTY;
            if (!code_has_compiler(compilers[k]))
                continue;
            setenv("CC", compilers[k], 1);
            text_format(&text, HEAD "x = 2;\n%s\n" TAIL, uses[i]);
            code_build_refused(text_string(&text), ".c", "-O2", &error);
            assert_int_equal(error.line, 9);
            assert_non_null(strstr(error.file, "source.c"));
            text_release(&text);
            unsetenv("CC");
        }
}

static void a_main_of_the_sources_is_not_called(void **state)
{
    (void)state;
    struct code_fixture code;
    struct exchange_result result;
    code_build_text(&code, HEAD TAIL "int main(void) { abort(); }", ".c", "-O2");
    code_run(&code, 0, MEMORY_RC11, "a", &result);
    assert_int_equal(result.end, END_COMPLETE);
    code_release(&code);
}

static void what_is_harmless_is_taken(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_LENGTH(accepted); i++) {
        struct code_fixture code;
        struct exchange_result result;
        struct text text = TEXT_EMPTY;
        text_format(&text, HEAD "%s" TAIL, accepted[i]);
        code_build_text(&code, text_string(&text), ".c", "-O2");
        code_run(&code, 0, MEMORY_RC11, "a", &result);
        assert_int_equal(result.end, END_COMPLETE);
        text_release(&text);
        code_release(&code);
    }
}

static void a_program_without_tests_is_an_error(void **state)
{
    (void)state;
    struct code_fixture code;
    struct listed_tests tests;
    struct error error = {0};
    code_build_text(&code, HEAD TAIL, ".c", "-O2");
    vector_init(&tests.items, &code.budget);
    assert_int_equal(conversation_list("/bin/true", &tests, &error), STATUS_INPUT);
    assert_non_null(strstr(error.message, "ended before it could answer"));
    code_release(&code);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gcc_code_that_is_not_seen_is_refused),
        cmocka_unit_test(clang_code_that_is_not_seen_is_refused),
        cmocka_unit_test(wide_accesses_of_clang_are_refused),
        cmocka_unit_test(odd_sizes_of_clang_are_refused),
        cmocka_unit_test(what_functions_for_instructions_access_is_seen),
        cmocka_unit_test(calls_of_gcc_with_structures_are_refused),
        cmocka_unit_test(calls_of_gcc_that_are_seen_are_accepted),
        cmocka_unit_test(results_that_gcc_makes_in_place_are_refused),
        cmocka_unit_test(assembly_is_named_with_its_line),
        cmocka_unit_test(what_is_refused_is_named_with_its_line),
        cmocka_unit_test(a_main_of_the_sources_is_not_called),
        cmocka_unit_test(what_is_harmless_is_taken),
        cmocka_unit_test(a_program_without_tests_is_an_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
