#include "report/proof.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/sha256.h"
#include "report/json.h"

#define VERSION 1

/* Indices on a line. */
#define MOST_INDICES 1000

#define NO "no certificate: "

static void end_line(yajl_gen json, struct text *proof)
{
    json_end_text(json);
    text_append(proof, "\n");
}

void proof_begin(FILE *out)
{
    yajl_gen json = json_begin(out);
    json_add_number(json, "linchpin_proof", VERSION);
    json_add_text(json, "version", LP_VERSION);
    json_end(json, out);
}

void proof_end(size_t claims, FILE *out)
{
    yajl_gen json = json_begin(out);
    json_add_number(json, "claims", claims);
    json_end(json, out);
}

const char *proof_of_nothing(const char *input, const char *why, struct text *proof)
{
    yajl_gen json = json_begin_text(proof);
    json_add_text(json, "claim", "none");
    json_add_text(json, "input", input);
    json_add_text(json, "none", why + strlen(NO));
    end_line(json, proof);
    return why;
}

/* ---- inputs ---- */

/* What stands in the file: its digest, and whether linchpin-recheck can read it. */
struct inspected {
    char digits[SHA256_DIGITS + 1];
    bool packed;
    bool tagged; /* perhaps a set or a map in the notation of Transit */
};

static void inspect(struct inspected *inspected, const char *bytes, size_t length, bool first)
{
    static const char *const magic[] = {"\x1f\x8b", "\x28\xb5\x2f\xfd"};
    for (size_t i = 0; first && i < ARRAY_LENGTH(magic); i++)
        inspected->packed |=
            length >= strlen(magic[i]) && memcmp(bytes, magic[i], strlen(magic[i])) == 0;
    inspected->tagged |= memmem(bytes, length, "~#", 2) != NULL;
}

/* Why the file has no certificate, or null. Appends what stands in it to `kept`, which may be null.
 */
static const char *inspect_file(const char *path, struct inspected *inspected, struct text *kept)
{
    char block[65536];
    size_t length;
    struct sha256 sha;
    bool first = true;
    FILE *in = fopen(path, "rb");
    *inspected = (struct inspected){.packed = false};
    if (!in)
        return NO "the input cannot be read a second time";
    sha256_init(&sha);
    while ((length = fread(block, 1, sizeof block, in)) > 0) {
        sha256_add(&sha, block, length);
        inspect(inspected, block, length, first);
        if (kept)
            text_append_bytes(kept, block, length);
        first = false;
    }
    bool failed = ferror(in);
    fclose(in);
    sha256_end(&sha, inspected->digits);
    if (failed)
        return NO "the input cannot be read a second time";
    return inspected->packed ? NO "the input is packed" : NULL;
}

static yajl_gen begin_claim(const char *claim, const char *path, const struct inspected *inspected,
                            const char *verdict, struct text *proof)
{
    yajl_gen json = json_begin_text(proof);
    json_add_text(json, "claim", claim);
    json_add_text(json, "input", path);
    json_add_text(json, "sha256", inspected->digits);
    json_add_text(json, "verdict", verdict);
    return json;
}

static void end_evidence(size_t lines, struct text *proof)
{
    yajl_gen json = json_begin_text(proof);
    json_add_number(json, "end", lines);
    end_line(json, proof);
}

/* ---- histories ---- */

static bool is_pair(lp_value value, const lp_value **items)
{
    size_t length;
    return lp_value_kind(value) == LP_LIST && lp_value_get_items(value, items, &length) &&
           length == 2;
}

/* Whether a get may have answered its key and the value, or a value that is such a list. */
static bool may_be_keyed(const lp_operation *operation)
{
    const lp_value *answer, *pair;
    lp_value key = operation->has_key ? operation->key : operation->argument;
    return strcmp(operation->function, "get") == 0 && is_pair(operation->result, &answer) &&
           (answer[0] == key ||
            (is_pair(key, &pair) && pair[0] == answer[0] && pair[1] == LP_VALUE_NIL));
}

/* What linchpin-recheck knows. */
static bool knows_operations(const lp_history *history, const char *spec)
{
    static const char *const known[] = {"register", "cas-register", "mutex", "semaphore", "queue",
                                        "stack",    "deque",        "set",   "counter",   "map"};
    size_t name = strcspn(spec, "("), i = 0;
    while (i < ARRAY_LENGTH(known) &&
           !(strlen(known[i]) == name && memcmp(known[i], spec, name) == 0))
        i++;
    bool all = i < ARRAY_LENGTH(known);
    for (size_t j = 0; all && strcmp(spec, "map") == 0 && j < lp_history_length(history); j++) {
        lp_operation operation = lp_history_operation(history, j);
        all = (strncmp(operation.function, "put", 3) != 0 || !operation.function[3]) &&
              strcmp(operation.function, "append") != 0 &&
              lp_value_kind(operation.result) != LP_MAP && !may_be_keyed(&operation);
    }
    return all;
}

static const char *why_not(const lp_history *history, const lp_result *result,
                           const struct proof_request *request)
{
    const char *format = lp_history_format(history);
    if (result->verdict == LP_UNKNOWN)
        return NO "the verdict is unknown";
    if (!format || strcmp(format, "json") != 0)
        return NO "the history is not in the format json";
    if (request->by_time)
        return NO "the order is that of the times";
    if (request->specification || !knows_operations(history, result->spec))
        return NO "linchpin-recheck does not know the specification, or one of the operations";
    if (request->parameters)
        return NO "the specification has more than a number in brackets (--initial and --owned are "
                  "options as well)";
    if (request->knossos_nil || (result->keyed_results && strcmp(result->spec, "map") == 0))
        return NO "linchpin-recheck does not know what answers mean here";
    if (result->verdict == LP_VIOLATION && !result->violations[0].core_length)
        return NO "no core was found";
    return NULL;
}

/* The initial value as JSON, to be released; null: there is none, or (*why) JSON cannot say it. */
static char *initial_json(const char *initial, const char **why)
{
    lp_error error;
    lp_value value;
    lp_context *context = initial ? lp_context_create(0) : NULL;
    char *json = NULL;
    if (context && lp_value_parse(context, initial, &value, &error) == LP_OK)
        json = lp_value_to_json(value);
    lp_context_destroy(context);
    if (initial && (!json || strstr(json, "~#"))) {
        *why = NO "the initial value is none of JSON";
        free(json);
        json = NULL;
    }
    return json;
}

static void add_options(yajl_gen json, const struct proof_request *request, const char *initial)
{
    json_open_object(json, "options");
    json_add_boolean(json, "independent", request->independent);
    json_add_boolean(json, "owned", request->owned);
    if (initial) {
        json_add_key(json, "initial");
        json_add_raw(json, initial);
    }
    yajl_gen_map_close(json);
}

static void add_indices(const char *key, const uint32_t *indices, size_t count, struct text *proof)
{
    size_t lines = 0;
    for (size_t at = 0; at < count; at += MOST_INDICES, lines++) {
        yajl_gen json = json_begin_text(proof);
        json_add_indices(json, key, indices + at,
                         count - at < MOST_INDICES ? count - at : MOST_INDICES);
        end_line(json, proof);
    }
    end_evidence(lines, proof);
}

const char *proof_of_history(const lp_history *history, const lp_result *result,
                             const struct proof_request *request, struct text *proof)
{
    const char *path = lp_history_name(history), *why = why_not(history, result, request);
    struct inspected inspected;
    if (!why)
        why = inspect_file(path, &inspected, NULL);
    if (!why && inspected.tagged)
        why = NO "JSON has no sets, and no maps with other keys than texts";
    char *initial = why ? NULL : initial_json(request->initial, &why);
    if (why)
        return proof_of_nothing(path, why, proof);
    bool linearizable = result->verdict == LP_LINEARIZABLE;
    yajl_gen json = begin_claim("history", path, &inspected,
                                linearizable ? "linearizable" : "violation", proof);
    json_add_text(json, "spec", result->spec);
    add_options(json, request, initial);
    json_add_number(json, "operations", lp_history_length(history));
    end_line(json, proof);
    free(initial);
    if (linearizable)
        add_indices("order", result->linearization, result->linearization_length, proof);
    else
        add_indices("core", result->violations[0].core, result->violations[0].core_length, proof);
    return NULL;
}

/* ---- nets ---- */

const char *proof_of_net(const lp_net *net, const lp_coverage *found, struct text *proof)
{
    static const char *const words[] = {[LP_SAFE] = "safe", [LP_UNSAFE] = "unsafe"};
    const char *path = lp_net_name(net), *why = NULL, *set;
    struct inspected inspected;
    char *written = NULL;
    size_t size, lines;
    size_t length = strlen(path);
    if (length < 5 || strcmp(path + length - 5, ".spec") != 0)
        why = NO "the net is not in mist's format";
    if (!why)
        why = inspect_file(path, &inspected, NULL);
    FILE *out = why ? NULL : open_memstream(&written, &size);
    if (!why && !(out && lp_coverage_prove(found, net, out, &set, &lines)))
        why = NO "the verdict is unknown";
    if (out && fclose(out) != 0 && !why)
        why = NO "no memory is left";
    if (why) {
        free(written);
        return proof_of_nothing(path, why, proof);
    }
    yajl_gen json = begin_claim("net", path, &inspected, words[found->verdict], proof);
    if (found->verdict == LP_SAFE)
        json_add_text(json, "set", set);
    end_line(json, proof);
    text_append_bytes(proof, written, size);
    free(written);
    end_evidence(lines, proof);
    return NULL;
}

/* ---- automata ---- */

static const char *why_no_run(const lp_history *history, const lp_rule_automaton *automaton,
                              const lp_rules_run *run, const char *file)
{
    static const char *const known[] = {"queue", "stack", "set"};
    const char *format = lp_history_format(history);
    size_t length = strlen(file), i = 0;
    while (i < ARRAY_LENGTH(known) && strcmp(known[i], automaton->object) != 0)
        i++;
    if (!format || strcmp(format, "json") != 0)
        return NO "the history is not in the format json";
    if (length < 4 || strcmp(file + length - 4, ".txt") != 0)
        return NO "the automaton is in no file of its own";
    if (i == ARRAY_LENGTH(known))
        return NO "linchpin-recheck does not know the specification, or one of the operations";
    if (run->completed || run->left_out)
        return NO "some operations never returned";
    return NULL;
}

static void write_colours(const lp_history *history, const lp_rules_reading *reading,
                          struct text *proof)
{
    size_t count = lp_history_length(history), lines = 0;
    for (int marks = 0; marks < 2; marks++)
        for (size_t at = 0; at < count; lines++) {
            size_t end = count - at < MOST_INDICES ? count : at + MOST_INDICES;
            yajl_gen json = json_begin_text(proof);
            json_open_list(json, marks ? "marked" : "colours");
            for (; at < end; at++)
                if (!marks || (reading->marked && reading->marked[at]))
                    yajl_gen_integer(json, marks ? (long long)at : reading->colours[at]);
            yajl_gen_array_close(json);
            end_line(json, proof);
        }
    end_evidence(lines, proof);
}

const char *proof_of_run(const lp_history *history, const lp_rules *rules,
                         const char *const *inputs, const lp_rules_run *run, struct text *proof)
{
    const char *path = lp_history_name(history), *why = NO "no automaton accepts the history";
    struct inspected inspected, own;
    lp_rule_automaton automaton;
    for (size_t i = 0; why && lp_rules_at(rules, i, &automaton); i++) {
        if (!run->readings[i].accepted)
            continue;
        why = why_no_run(history, &automaton, run, inputs[i]);
        if (!why)
            why = inspect_file(path, &inspected, NULL);
        if (!why)
            why = inspected.tagged ? NO "JSON has no sets, and no maps with other keys than texts"
                                   : inspect_file(inputs[i], &own, NULL);
        if (why)
            continue;
        yajl_gen json = begin_claim("automaton", path, &inspected, "accepted", proof);
        json_add_text(json, "automaton", inputs[i]);
        json_add_text(json, "automaton_sha256", own.digits);
        json_add_text(json, "spec", automaton.object);
        end_line(json, proof);
        write_colours(history, &run->readings[i], proof);
    }
    return why ? proof_of_nothing(path, why, proof) : NULL;
}

/* ---- models ---- */

#define MOST_STATES 200000
#define LETTERS     "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789"

/* "treiber linearizes stack" of "assert treiber linearizes stack". */
static const char *assertion_of(const lp_assertion *assertion)
{
    static const char word[] = "assert ";
    bool has = strncmp(assertion->text, word, strlen(word)) == 0;
    return assertion->text + (has ? strlen(word) : 0);
}

/* Goes on to the next word or character that is no white space and in no comment. */
static bool next_word(const char **at, const char **word, size_t *length)
{
    const char *text = *at;
    while (*text)
        if (text[0] == '/' && text[1] == '/')
            text += strcspn(text, "\n");
        else if (text[0] == '/' && text[1] == '*') {
            const char *end = strstr(text, "*/");
            text = end ? end + 2 : text + strlen(text);
        } else if (isspace((unsigned char)*text))
            text++;
        else
            break;
    *word = text;
    while (isalnum((unsigned char)*text) || *text == '_')
        text++;
    text += text == *word && *text;
    *length = (size_t)(text - *word);
    *at = text;
    return *length > 0;
}

static bool is_among(const char *word, size_t length, const char *const *words, size_t count)
{
    while (count-- > 0)
        if (strlen(words[count]) == length && memcmp(words[count], word, length) == 0)
            return true;
    return false;
}

/* What is not known, and the word that says so. */
struct unknown {
    const char *why; /* null: all is known */
    const char *word;
    size_t length;
};

#define NO_LANGUAGE NO "linchpin-recheck does not know all of the model's language"

/* Whether a bracket behind a name, before which `word` stands, makes it a local array. */
static bool is_type(const char *word, size_t length)
{
    static const char *const other[] = {"return", "else", "do"};
    return (isalpha((unsigned char)*word) || *word == '_') &&
           !is_among(word, length, other, ARRAY_LENGTH(other));
}

/* Of what stands in an implementation, from its bracket on: linchpin-recheck knows no local arrays,
 * functions, records and what else is called by a name, but these. */
static struct unknown look_at_implementation(const char *at)
{
    static const char *const called[] = {"cas",    "swap", "fetch_add", "lock",   "unlock",
                                         "await",  "if",   "assume",    "assert", "while",
                                         "return", "for",  "int"};
    static const char *const other[] = {"either", "switch", "linearize", "record", "enum"};
    const char *word, *before = "", *earlier = "";
    size_t length, length_before = 0, length_earlier = 0, depth = 0;
    bool is_operation = false, in_range = false;
    while (next_word(&at, &word, &length)) {
        depth += *word == '{';
        depth -= *word == '}';
        if (depth == 0 && *word == '}')
            return (struct unknown){.why = NULL};
        bool calls = *word == '(' && (isalpha((unsigned char)*before) || *before == '_');
        if (is_among(word, length, other, ARRAY_LENGTH(other)))
            return (struct unknown){NO_LANGUAGE, word, length};
        if (calls && !is_operation &&
            !is_among(before, length_before, called, ARRAY_LENGTH(called)))
            return (struct unknown){NO_LANGUAGE, before, length_before};
        if (depth > 1 && *word == '[' && is_type(earlier, length_earlier))
            return (struct unknown){NO_LANGUAGE, before, length_before};
        is_operation = length_before == 2 && memcmp(before, "op", 2) == 0;
        in_range |= *word == '(' && length_before == 3 && memcmp(before, "int", 3) == 0;
        if (in_range && *word == ')') { /* `int(0..2)` is a type, as `int` is */
            in_range = false;
            word = "int";
            length = 3;
        }
        earlier = before;
        length_earlier = length_before;
        before = word;
        length_before = length;
    }
    return (struct unknown){NO_LANGUAGE, "}", 1};
}

/* Of `linearizes SPECIFICATION with ...`. */
static struct unknown look_at_assertion(const char *spec, size_t spec_length)
{
    static const char *const known[] = {"queue", "stack",     "register", "set",
                                        "mutex", "semaphore", "counter"};
    static const char *const options[] = {"threads", "ops", "values", "any"};
    const char *word, *with = strstr(spec, " with ");
    size_t length;
    if (!is_among(spec, spec_length, known, ARRAY_LENGTH(known)))
        return (struct unknown){NO "linchpin-recheck does not know the specification", spec,
                                spec_length};
    for (with = with ? with + strlen(" with ") : ""; next_word(&with, &word, &length);)
        if (isalpha((unsigned char)*word) &&
            !is_among(word, length, options, ARRAY_LENGTH(options)))
            return (struct unknown){NO_LANGUAGE, word, length};
    return (struct unknown){.why = NULL};
}

/* Of the file, as far as the assertion `NAME linearizes SPECIFICATION` goes. */
static struct unknown look_at_model(const char *text, const char *assertion)
{
    const char *name = assertion, *spec = strstr(assertion, " linearizes "), *word, *at = text;
    size_t name_length = strcspn(name, " ("), length, spec_length, depth = 0;
    if (!spec)
        return (struct unknown){
            .why = NO "linchpin-recheck checks of models only that they linearize a specification"};
    spec += strlen(" linearizes ");
    spec_length = strcspn(spec, " (");
    struct unknown found = {.why = NULL};
    bool specifies = false, implements = false, implemented = false;
    while (next_word(&at, &word, &length) && !found.why) {
        if (specifies && length == spec_length && memcmp(word, spec, length) == 0)
            return (struct unknown){NO "the specification is the file's own", word, length};
        if (implements && length == name_length && memcmp(word, name, length) == 0) {
            found = look_at_implementation(at);
            implemented = true;
        }
        depth += *word == '{';
        depth -= *word == '}';
        if (depth == 0 && is_among(word, length, (const char *const[]){"enum", "include"}, 2))
            found = (struct unknown){NO_LANGUAGE, word, length};
        specifies = is_among(word, length, (const char *const[]){"spec", "rules"}, 2);
        implements = is_among(word, length, (const char *const[]){"impl"}, 1);
    }
    struct unknown asserted = look_at_assertion(spec, spec_length);
    if (!asserted.why && !found.why && !implemented)
        return (struct unknown){NO_LANGUAGE, name, name_length};
    return asserted.why ? asserted : found;
}

const char *proof_of_model_foreseen(const lp_model *model, const lp_assertion *assertion,
                                    struct text *why)
{
    struct inspected inspected;
    struct text text = TEXT_EMPTY;
    const char *none = inspect_file(lp_model_name(model), &inspected, &text);
    struct unknown unknown = {.why = none};
    if (!none)
        unknown = look_at_model(text_string(&text), assertion_of(assertion));
    if (unknown.why)
        text_append(why, unknown.why);
    if (unknown.word)
        text_format(why, ": `%.*s`", (int)unknown.length, unknown.word);
    text_release(&text);
    return unknown.why;
}

static const char *why_no_model(const char *path, const lp_verification *found)
{
    const size_t length = strlen(path);
    if (found->answer != LP_HOLDS)
        return NO "linchpin-recheck checks of models only that they hold";
    if (strcmp(found->method, "views") == 0 || strcmp(found->method, "coverability") == 0)
        return NO "linchpin-recheck does not check models with any number of threads";
    if (strcmp(found->method, "linearizability") != 0)
        return NO "linchpin-recheck checks of models only that they linearize a specification";
    if (found->missing_count)
        return NO "the implementation lacks operations of the specification";
    if (found->reduction_count)
        return NO "reductions were used (--reduce=none uses none)";
    if (length < 4 || strcmp(path + length - 4, ".lin") != 0)
        return NO "the model is in no file NAME.lin";
    return NULL;
}

/* Names of nodes are left out: "[node1, null]" is "[node, null]". */
static void add_shared(yajl_gen json, const lp_node *node)
{
    struct text text = TEXT_EMPTY;
    json_open_object(json, "shared");
    for (size_t i = 0; i < node->variable_count; i++) {
        const lp_variable *variable = &node->variables[i];
        if (*variable->value == '{')
            continue;
        text_clear(&text);
        for (const char *at = variable->value; *at;) {
            size_t length = 1;
            if (isalpha((unsigned char)*at)) {
                length = strspn(at, LETTERS);
                bool is_node =
                    !is_among(at, length, (const char *const[]){"null", "true", "false"}, 3);
                text_append_bytes(&text, is_node ? "node" : at, is_node ? 4 : length);
            } else
                text_append_bytes(&text, at, 1);
            at += length;
        }
        json_add_text(json, variable->name, text_string(&text));
    }
    yajl_gen_map_close(json);
    text_release(&text);
}

/* Of a step that is seen the event, of a statement its line. */
static void add_step(yajl_gen json, const lp_edge *edge)
{
    yajl_gen_array_open(json);
    yajl_gen_integer(json, edge->target);
    yajl_gen_integer(json, edge->process);
    yajl_gen_string(json, (const unsigned char *)edge->event,
                    edge->visible ? strlen(edge->event) : strcspn(edge->event, ":"));
    yajl_gen_array_close(json);
}

static void write_states(const lp_graph *graph, struct text *proof)
{
    const lp_edge *edge = graph->edges, *end = edge + graph->edge_count;
    for (size_t i = 0; i < graph->node_count; i++) {
        yajl_gen json = json_begin_text(proof);
        json_add_number(json, "state", i);
        add_shared(json, &graph->nodes[i]);
        json_open_list(json, "steps");
        for (; edge < end && edge->source == i; edge++)
            add_step(json, edge);
        yajl_gen_array_close(json);
        end_line(json, proof);
    }
    end_evidence(graph->node_count, proof);
}

const char *proof_of_model(lp_context *context, const lp_model *model,
                           const lp_assertion *assertion, const lp_verification *found,
                           struct text *proof)
{
    const char *path = lp_model_name(model);
    const char *why = why_no_model(path, found);
    const lp_graph_options options = {.size = sizeof options, .max_states = MOST_STATES};
    struct inspected inspected;
    lp_graph *graph = NULL;
    struct text unused = TEXT_EMPTY;
    lp_error error;
    if (!why)
        why = proof_of_model_foreseen(model, assertion, &unused);
    if (!why)
        why = inspect_file(path, &inspected, NULL);
    text_release(&unused);
    if (!why && (lp_graph_create(context, model, assertion_of(assertion), &options, &graph,
                                 &error) != LP_OK ||
                 !graph->complete))
        why = NO "the model has too many states";
    if (why) {
        lp_graph_destroy(graph);
        return proof_of_nothing(path, why, proof);
    }
    yajl_gen json = begin_claim("model", path, &inspected, "holds", proof);
    json_add_number(json, "line", assertion->line);
    json_add_text(json, "assertion", assertion->text);
    json_add_number(json, "pairs", found->states);
    end_line(json, proof);
    write_states(graph, proof);
    lp_graph_destroy(graph);
    return NULL;
}
