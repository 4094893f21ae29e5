/* Parses files with a grammar of editors/tree-sitter-linchpin, for tests:
 *
 *     parse (lin | csp) [-q QUERY] FILE...
 *
 * One line a file: the tree as an expression; with a query a line for each capture instead, `NAME
 * FIRST END`, in bytes, and an empty one at the end. Exit status 1 if a tree has an error. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <tree_sitter/api.h>

const TSLanguage *tree_sitter_lin(void);
const TSLanguage *tree_sitter_csp(void);

static char *read_file(const char *path, uint32_t *length)
{
    FILE *file = fopen(path, "rb");
    if (!file || fseek(file, 0, SEEK_END)) {
        perror(path);
        exit(2);
    }
    *length = (uint32_t)ftell(file);
    rewind(file);
    char *text = malloc(*length + 1);
    if (!text || fread(text, 1, *length, file) != *length)
        exit(2);
    text[*length] = 0;
    fclose(file);
    return text;
}

static TSQuery *read_query(const TSLanguage *language, const char *path)
{
    uint32_t length, at;
    TSQueryError error;
    char *text = read_file(path, &length);
    TSQuery *query = ts_query_new(language, text, length, &at, &error);
    if (!query) {
        fprintf(stderr, "%s: expected a query, found an error of kind %d at %.40s\n", path, error,
                text + at);
        exit(2);
    }
    free(text);
    return query;
}

static bool is_at(TSNode node, const char *text, const char *word)
{
    uint32_t start = ts_node_start_byte(node), length = ts_node_end_byte(node) - start;
    return strlen(word) == length && memcmp(text + start, word, length) == 0;
}

/* The predicates that highlighters have: `#any-of? @capture "word" ...`, of the ones used here. */
static bool holds(const TSQuery *query, const TSQueryMatch *match, const char *text)
{
    uint32_t count, length;
    const TSQueryPredicateStep *steps =
        ts_query_predicates_for_pattern(query, match->pattern_index, &count);
    for (uint32_t i = 0; i < count; i++) {
        bool found = false;
        if (strcmp(ts_query_string_value_for_id(query, steps[i].value_id, &length), "any-of?")) {
            fprintf(stderr, "expected only the predicate any-of?\n");
            exit(2);
        }
        uint32_t capture = steps[++i].value_id;
        while (steps[++i].type == TSQueryPredicateStepTypeString)
            for (uint16_t c = 0; c < match->capture_count; c++)
                found |= match->captures[c].index == capture &&
                         is_at(match->captures[c].node, text,
                               ts_query_string_value_for_id(query, steps[i].value_id, &length));
        if (!found)
            return false;
    }
    return true;
}

static void print_captures(const TSQuery *query, TSNode root, const char *text)
{
    TSQueryCursor *cursor = ts_query_cursor_new();
    TSQueryMatch match;
    uint32_t index, length;
    ts_query_cursor_exec(cursor, query, root);
    while (ts_query_cursor_next_capture(cursor, &match, &index)) {
        TSQueryCapture capture = match.captures[index];
        if (holds(query, &match, text))
            printf("%s %u %u\n", ts_query_capture_name_for_id(query, capture.index, &length),
                   ts_node_start_byte(capture.node), ts_node_end_byte(capture.node));
    }
    puts("");
    ts_query_cursor_delete(cursor);
}

static void print_tree(TSNode root)
{
    char *written = ts_node_string(root);
    puts(written);
    free(written);
}

int main(int argc, char **argv)
{
    int next = 2, status = 0;
    if (argc < 3)
        return 2;
    const TSLanguage *language =
        strcmp(argv[1], "lin") == 0 ? tree_sitter_lin() : tree_sitter_csp();
    TSQuery *query = NULL;
    if (argc > 3 && strcmp(argv[2], "-q") == 0) {
        query = read_query(language, argv[3]);
        next = 4;
    }
    TSParser *parser = ts_parser_new();
    if (!ts_parser_set_language(parser, language))
        return 2;
    for (; next < argc; next++) {
        uint32_t length;
        char *text = read_file(argv[next], &length);
        TSTree *tree = ts_parser_parse_string(parser, NULL, text, length);
        TSNode root = ts_tree_root_node(tree);
        status |= ts_node_has_error(root);
        if (query)
            print_captures(query, root, text);
        else
            print_tree(root);
        ts_tree_delete(tree);
        free(text);
    }
    ts_parser_delete(parser);
    if (query)
        ts_query_delete(query);
    return status;
}
