/* Violations of a counter to which different numbers are added, where sums show them. Whether one
 * is linearizable is a knapsack; but between two reads of which one precedes the other,
 *
 *     what is invoked after the first returned, and returns before the second is invoked, is added;
 *     what returned before the first was invoked, or is invoked after the second returned, is not;
 *     anything else may be, pending additions among it.
 *
 * So the results differ by the sum of the first kind and some of the last: by no less than with all
 * that is negative of these, by no more than with all that is positive, and by what the greatest
 * common divisor of these divides but for that sum. The same holds of the initial value and a read.
 *
 * Each read is compared with the initial value, for which running sums do, and with the reads that
 * returned last before it was invoked, for which the additions in between are gone through. Where
 * there are few reads the sums themselves are asked for what lies between, if they are not too many
 * (Bellman); and what had been invoked before the first of two reads returned is between them only
 * if it may have been left out there: the sum of those is what the first lacked of the greatest
 * that it could have returned. There is a bound on the work. What is found is a violation; else
 * nothing is known. */
#include <inttypes.h>

#include "base/bits.h"
#include "monitor/counter.h"
#include "spec/counter.h"
#include "value/print.h"

/* With so many reads before it a read is compared, where there are few reads, or many. */
#define READS_BEFORE_FEW  16
#define READS_BEFORE_MANY 4
#define READS_FEW         64

#define EVENTS_BEFORE 256 /* beyond so many, with no read that is further back */

/* The most that is gone through: so many additions, and for each operation. */
#define WORK_LEAST 1000000
#define WORK_EACH  64

#define SUMS_MOST ((size_t)1 << 16) /* that are asked for */

#define NONE UINT32_MAX

__extension__ typedef __int128 wide __attribute__((aligned(8))); /* as arenas align */
__extension__ typedef unsigned __int128 wide_unsigned;

/* Additions, as far as they may be between two reads. */
struct sums {
    wide sure;        /* of those that are */
    wide more, less;  /* of those that may be, the positive and the negative ones, ... */
    uint64_t divisor; /* ... and their greatest common divisor; 0: there are none */
};

/* What had returned when a read was invoked. */
struct begun {
    wide returned, more, less;
    uint32_t reads, added;       /* in these */
    wide spare_more, spare_less; /* once it has returned: of the additions invoked until then, what
                                    those that had not taken place can be together, at most */
};

/* An addition that has returned. */
struct added {
    uint32_t invoke, response;
    int64_t amount;
};

struct bounds {
    const struct part *part;
    struct limits *limits;
    struct decision *decision;
    uint32_t *at;        /* by position: the operation */
    uint32_t *places;    /* by operation: of a read in `begun`, of an addition in `running` */
    struct begun *begun; /* by read */
    uint32_t *reads;     /* that have returned, in that order */
    struct added *added; /* likewise */
    uint32_t *running;   /* additions that have been invoked, and will return */
    uint32_t read_count, returned_count, added_count, running_count;
    wide invoked_more, invoked_less; /* of additions, the positive and the negative ones */
    wide returned_more, returned_less;
    uint64_t pending; /* the greatest common divisor of the pending ones that have been invoked */
    uint32_t reads_before;
    bool is_close;   /* sums are asked for */
    uint64_t *sizes; /* then, of additions, */
    uint64_t *words; /* and a bit for each sum */
    uint64_t work, most_work, most_close;
};

/* ---- sums ---- */

static void add_possible(struct sums *sums, int64_t amount)
{
    *(amount > 0 ? &sums->more : &sums->less) += amount;
    if (sums->divisor != 1)
        sums->divisor = counter_divisor(counter_size(amount), sums->divisor);
}

/* What is running where the walk is may be between any two reads that have begun. */
static struct sums running_sums(struct bounds *bounds)
{
    struct sums sums = {.more = bounds->invoked_more - bounds->returned_more,
                        .less = bounds->invoked_less - bounds->returned_less,
                        .divisor = bounds->pending};
    for (uint32_t i = 0; i < bounds->running_count && sums.divisor != 1; i++)
        sums.divisor = counter_divisor(
            counter_size(counter_amount(bounds->part, bounds->running[i])), sums.divisor);
    bounds->work += bounds->running_count;
    return sums;
}

/* Adds those that have returned since that one; sure is what was invoked behind `after`, and
 * returned in front of `before`. */
static void add_returned(struct bounds *bounds, uint32_t from, uint32_t after, uint32_t before,
                         struct sums *sums)
{
    for (uint32_t i = from; i < bounds->added_count; i++) {
        const struct added *added = &bounds->added[i];
        if (added->response < before && added->invoke > after)
            sums->sure += added->amount;
        else
            add_possible(sums, added->amount);
    }
    bounds->work += bounds->added_count - from;
}

/* ---- what is wrong ---- */

enum wrong {
    WRONG_NOT,
    WRONG_LESS,
    WRONG_MORE,
    WRONG_REST,
    WRONG_SUM, /* none is what lies between */
};

/* A read that is compared with one before it. */
struct comparison {
    uint32_t read, first; /* NONE: the initial value */
    wide base;            /* what the other returned */
    struct sums sums;
    enum wrong wrong;
    uint32_t evidence; /* operations that make it wrong, the reads besides */
};

static enum wrong judge(const struct sums *sums, wide difference)
{
    const wide optional = difference - sums->sure;
    if (optional < sums->less)
        return WRONG_LESS;
    if (optional > sums->more)
        return WRONG_MORE;
    const wide_unsigned size = optional < 0 ? -(wide_unsigned)optional : (wide_unsigned)optional;
    return sums->divisor > 1 && size % sums->divisor != 0 ? WRONG_REST : WRONG_NOT;
}

/* Whether an addition makes it wrong: one that is sure, or one that might help but is over. */
static bool is_evidence(const struct part *part, const struct comparison *compared, uint32_t i)
{
    const struct interval *interval = &part->intervals[i], *first = NULL;
    const int64_t amount = counter_amount(part, i);
    if (compared->first != NONE)
        first = &part->intervals[compared->first];
    const bool over = first && interval->response < first->invoke;
    const bool sure = interval->response < part->intervals[compared->read].invoke &&
                      (!first || interval->invoke > first->response);
    if (amount == 0 || (!sure && !over))
        return false;
    if (compared->wrong == WRONG_SUM)
        return true;
    return compared->wrong == WRONG_LESS   ? (amount > 0) == sure
           : compared->wrong == WRONG_MORE ? (amount < 0) == sure
                                           : counter_size(amount) % compared->sums.divisor != 0;
}

static void count_evidence(const struct part *part, struct comparison *compared)
{
    compared->evidence = compared->first != NONE;
    for (uint32_t i = 0; i < part->count; i++)
        compared->evidence += is_evidence(part, compared, i);
}

static void say(const struct part *part, const struct comparison *compared, struct text *reason)
{
    const wide bound = compared->wrong == WRONG_LESS   ? compared->sums.less
                       : compared->wrong == WRONG_MORE ? compared->sums.more
                                                       : 0;
    text_append(reason, "read returned ");
    value_print_edn(part->intervals[compared->read].call.result, reason);
    if (compared->first != NONE) {
        text_append(reason, " after another read had returned ");
        value_print_edn(part->intervals[compared->first].call.result, reason);
        text_append(reason, ",");
    }
    if (compared->wrong == WRONG_SUM) {
        text_append(reason, compared->first == NONE ? "," : "");
        text_append(reason, " and no additions lead there from ");
        counter_print_count(compared->base, reason);
        return;
    }
    text_append(reason, compared->wrong == WRONG_LESS   ? " when it could not be less than "
                        : compared->wrong == WRONG_MORE ? " when it could not be more than "
                                                        : " when it could differ from ");
    counter_print_count(compared->base + compared->sums.sure + bound, reason);
    if (compared->wrong == WRONG_REST)
        text_format(reason, " by multiples of %" PRIu64 " only", compared->sums.divisor);
}

static enum step tell(const struct bounds *bounds, const struct comparison *compared)
{
    const struct part *part = bounds->part;
    struct decision *decision = bounds->decision;
    say(part, compared, &decision->reason);
    bool shown = vector_push(&decision->evidence, compared->read) &&
                 (compared->first == NONE || vector_push(&decision->evidence, compared->first));
    decision_spoken(decision);
    for (uint32_t i = 0; i < part->count && shown; i++)
        if (is_evidence(part, compared, i))
            shown = vector_push(&decision->evidence, i);
    return step_violation(shown);
}

/* ---- comparing ---- */

static void compare_with_initial(struct bounds *bounds, struct comparison *compared)
{
    const struct begun *begun = &bounds->begun[bounds->places[compared->read]];
    struct sums *sums = &compared->sums;
    compared->base = counter_initial(bounds->part);
    if (sums->divisor != 1)
        add_returned(bounds, begun->added, 0, 0, sums);
    sums->sure = begun->returned;
    sums->more = bounds->invoked_more - begun->more;
    sums->less = bounds->invoked_less - begun->less;
}

static void compare_with_read(struct bounds *bounds, struct comparison *compared)
{
    const struct interval *before = &bounds->part->intervals[compared->first],
                          *interval = &bounds->part->intervals[compared->read];
    int64_t base;
    counter_read(bounds->part, compared->first, &base);
    compared->base = base;
    add_returned(bounds, bounds->begun[bounds->places[compared->first]].added, before->response,
                 interval->invoke, &compared->sums);
}

/* Compares a read with that one, or the initial value; the worst of what is wrong is that with the
 * least evidence. */
static void compare(struct bounds *bounds, uint32_t read, uint32_t first,
                    const struct sums *running, struct comparison *worst)
{
    struct comparison compared = {.read = read, .first = first, .sums = *running};
    int64_t result;
    counter_read(bounds->part, read, &result);
    if (first == NONE)
        compare_with_initial(bounds, &compared);
    else
        compare_with_read(bounds, &compared);
    compared.wrong = judge(&compared.sums, result - compared.base);
    if (compared.wrong == WRONG_NOT)
        return;
    count_evidence(bounds->part, &compared);
    if (worst->wrong == WRONG_NOT || compared.evidence < worst->evidence)
        *worst = compared;
}

/* ---- comparing closely ---- */

/* Whether an addition may be between the two, and is not sure to be. */
static bool is_possible(const struct bounds *bounds, const struct comparison *compared, uint32_t i)
{
    const struct interval *interval = &bounds->part->intervals[i];
    const int64_t amount = counter_amount(bounds->part, i);
    if (amount == 0 || interval->invoke > bounds->part->intervals[compared->read].response)
        return false;
    if (compared->first == NONE)
        return true;
    const struct interval *first = &bounds->part->intervals[compared->first];
    const struct begun *begun = &bounds->begun[bounds->places[compared->first]];
    return interval->response > first->invoke &&
           (interval->invoke > first->response ||
            (amount > 0 ? amount <= begun->spare_more : amount >= -begun->spare_less));
}

static bool is_sure(const struct bounds *bounds, const struct comparison *compared, uint32_t i)
{
    const struct interval *interval = &bounds->part->intervals[i];
    return interval->response < bounds->part->intervals[compared->read].invoke &&
           (compared->first == NONE ||
            interval->invoke > bounds->part->intervals[compared->first].response);
}

/* What may be between is listed in `sizes`, in units of what divides all. Negative ones are taken
 * as in, and are wanted out; what is wanted then; negative: nothing leads there. */
static wide list_sizes(struct bounds *bounds, const struct comparison *compared, wide difference,
                       uint32_t *count)
{
    uint64_t divisor = 0;
    wide wanted = difference, all = 0;
    *count = 0;
    for (uint32_t i = 0; i < bounds->part->count; i++) {
        const int64_t amount = counter_amount(bounds->part, i);
        if (!is_possible(bounds, compared, i))
            continue;
        if (is_sure(bounds, compared, i)) {
            wanted -= amount;
            continue;
        }
        const uint64_t size = counter_size(amount);
        bounds->sizes[(*count)++] = size;
        divisor = counter_divisor(size, divisor);
        wanted += amount < 0 ? (wide)size : 0;
        all += size;
    }
    bounds->work += bounds->part->count;
    if (wanted < 0 || wanted > all || (divisor > 0 && wanted % divisor != 0))
        return -1;
    for (uint32_t i = 0; i < *count; i++)
        bounds->sizes[i] /= divisor;
    wanted /= divisor > 0 ? divisor : 1;
    all /= divisor > 0 ? divisor : 1;
    return wanted < all - wanted ? wanted : all - wanted;
}

/* Whether some of the sizes are a number together; also where that would take too long to say. */
static bool is_sum_of(struct bounds *bounds, uint32_t count, wide wanted)
{
    const size_t width = (size_t)(wanted / WORD_BITS) + 1;
    const struct bits sums = {bounds->words, width * WORD_BITS};
    if (wanted >= (wide)SUMS_MOST || bounds->work + count * (uint64_t)width > bounds->most_close)
        return true;
    bits_clear_all(sums);
    bits_set(sums, 0);
    for (uint32_t i = 0; i < count; i++)
        bits_add_shifted(sums, sums, bounds->sizes[i]);
    bounds->work += count * (uint64_t)width;
    return bits_get(sums, (size_t)wanted);
}

static void compare_closely(struct bounds *bounds, uint32_t read, uint32_t first,
                            struct comparison *worst)
{
    struct comparison compared = {.read = read, .first = first, .wrong = WRONG_SUM};
    int64_t result, base = 0;
    uint32_t count;
    if (worst->wrong != WRONG_NOT || bounds->work > bounds->most_close)
        return;
    counter_read(bounds->part, read, &result);
    if (first != NONE)
        counter_read(bounds->part, first, &base);
    compared.base = first == NONE ? counter_initial(bounds->part) : base;
    const wide wanted = list_sizes(bounds, &compared, result - compared.base, &count);
    if (wanted < 0 || !is_sum_of(bounds, count, wanted))
        *worst = compared;
}

/* The read has returned: what may be left of what had been invoked. */
static void note_spare(struct bounds *bounds, uint32_t read)
{
    struct begun *begun = &bounds->begun[bounds->places[read]];
    const wide initial = counter_initial(bounds->part);
    int64_t result;
    counter_read(bounds->part, read, &result);
    begun->spare_more = initial + bounds->invoked_more + begun->less - result;
    begun->spare_less = result - initial - bounds->invoked_less - begun->more;
}

static enum step returned_read(struct bounds *bounds, uint32_t read)
{
    const struct interval *interval = &bounds->part->intervals[read];
    const struct begun *begun = &bounds->begun[bounds->places[read]];
    const struct sums running = running_sums(bounds);
    struct comparison worst = {.wrong = WRONG_NOT};
    compare(bounds, read, NONE, &running, &worst);
    for (uint32_t i = 0; i < bounds->reads_before && i < begun->reads; i++) {
        const uint32_t first = bounds->reads[begun->reads - 1 - i];
        if (i > 0 && interval->response - bounds->part->intervals[first].invoke > EVENTS_BEFORE)
            break;
        compare(bounds, read, first, &running, &worst);
    }
    if (bounds->is_close)
        compare_closely(bounds, read, NONE, &worst);
    for (uint32_t i = 0; bounds->is_close && i < bounds->reads_before && i < begun->reads; i++)
        compare_closely(bounds, read, bounds->reads[begun->reads - 1 - i], &worst);
    note_spare(bounds, read);
    bounds->reads[bounds->returned_count++] = read;
    return worst.wrong == WRONG_NOT ? STEP_READY : tell(bounds, &worst);
}

/* ---- the walk ---- */

static void invoked(struct bounds *bounds, uint32_t operation)
{
    const int64_t amount = counter_amount(bounds->part, operation);
    int64_t result;
    if (counter_read(bounds->part, operation, &result)) {
        bounds->places[operation] = bounds->read_count;
        bounds->begun[bounds->read_count++] =
            (struct begun){.returned = bounds->returned_more + bounds->returned_less,
                           .more = bounds->returned_more,
                           .less = bounds->returned_less,
                           .reads = bounds->returned_count,
                           .added = bounds->added_count};
    }
    if (amount == 0)
        return;
    *(amount > 0 ? &bounds->invoked_more : &bounds->invoked_less) += amount;
    if (bounds->part->intervals[operation].response == POSITION_NEVER) {
        bounds->pending = counter_divisor(counter_size(amount), bounds->pending);
        return;
    }
    bounds->places[operation] = bounds->running_count;
    bounds->running[bounds->running_count++] = operation;
}

static enum step returned(struct bounds *bounds, uint32_t operation)
{
    const int64_t amount = counter_amount(bounds->part, operation);
    int64_t result;
    if (counter_read(bounds->part, operation, &result))
        return returned_read(bounds, operation);
    if (amount == 0)
        return STEP_READY;
    *(amount > 0 ? &bounds->returned_more : &bounds->returned_less) += amount;
    const struct interval *interval = &bounds->part->intervals[operation];
    bounds->added[bounds->added_count++] =
        (struct added){interval->invoke, interval->response, amount};
    const uint32_t last = bounds->running[--bounds->running_count];
    bounds->running[bounds->places[operation]] = last;
    bounds->places[last] = bounds->places[operation];
    return STEP_READY;
}

static bool create(struct bounds *bounds, struct arena *arena)
{
    const struct part *part = bounds->part;
    uint32_t reads = 0;
    int64_t result;
    for (uint32_t i = 0; i < part->count; i++)
        reads += counter_read(part, i, &result);
    bounds->at = operations_by_position(part, arena);
    bounds->places = arena_allocate(arena, part->count * sizeof *bounds->places);
    bounds->running = arena_allocate(arena, (part->count - reads + 1) * sizeof *bounds->running);
    bounds->added = arena_allocate(arena, (part->count - reads + 1) * sizeof *bounds->added);
    bounds->begun = arena_allocate(arena, (reads + 1) * sizeof *bounds->begun);
    bounds->reads = arena_allocate(arena, (reads + 1) * sizeof *bounds->reads);
    bounds->reads_before = reads <= READS_FEW ? READS_BEFORE_FEW : READS_BEFORE_MANY;
    bounds->is_close = reads <= READS_FEW;
    bounds->most_work = WORK_LEAST + WORK_EACH * (uint64_t)part->count;
    bounds->most_close = bounds->most_work / 2;
    if (bounds->is_close) {
        bounds->sizes = arena_allocate(arena, part->count * sizeof *bounds->sizes);
        bounds->words = arena_allocate(arena, SUMS_MOST / 8);
        if (!bounds->sizes || !bounds->words)
            return false;
    }
    return bounds->at && bounds->places && bounds->running && bounds->added && bounds->begun &&
           bounds->reads;
}

enum step counter_refute(const struct part *part, struct limits *limits, struct arena *arena,
                         struct decision *decision)
{
    struct bounds bounds = {.part = part, .limits = limits, .decision = decision};
    if (!create(&bounds, arena))
        return STEP_REFUSED;
    for (uint32_t looked = LOOK_FIRST, position = 0;
         position < part->positions && bounds.work < bounds.most_work; position++) {
        const uint32_t operation = bounds.at[position];
        if (limits_look(limits, &looked))
            return STEP_REFUSED;
        if (part->intervals[operation].invoke == position)
            invoked(&bounds, operation);
        else
            TRY_STEP(returned(&bounds, operation));
    }
    return STEP_UNDECIDED;
}
