/* One writer for each shell. The fixed parts of a script are functions that know the shell; what is
 * written of the tables are the commands, the words of each option, and what operands end with. */
#include "cli/completions.h"

#include <string.h>

#include <linchpin/linchpin.h>

#include "base/attributes.h"
#include "base/text.h"

/* What the names of a command's operands end with. Of commands that are not here any file may be
 * one. */
static const struct {
    enum command_bit bit;
    const char *endings;
} operand_files[] = {
    {FOR_VERIFY, ".lin .csp"},      {FOR_SIMULATE, ".lin .csp"}, {FOR_GRAPH, ".lin .csp"},
    {FOR_COVER, ".spec .tts"},      {FOR_RULES, ".lin .txt"},    {FOR_FMT, ".lin"},
    {FOR_REPLAY, ".json .json.gz"},
};

/* Null if the command takes no operands. */
static const char *operand_endings(const struct command *command)
{
    for (size_t i = 0; i < ARRAY_LENGTH(operand_files); i++)
        if (operand_files[i].bit == command->bit)
            return operand_files[i].endings;
    return command->most_operands ? "" : NULL;
}

/* The names of the built-in specifications, once each. */
static void append_specifications(struct text *text)
{
    lp_spec_entry entry, earlier;
    for (size_t i = 0; lp_spec_at(i, &entry); i++) {
        bool seen = false;
        for (size_t j = 0; j < i && !seen && lp_spec_at(j, &earlier); j++)
            seen = strcmp(entry.name, earlier.name) == 0;
        if (!seen)
            text_format(text, "%s%s", text->length ? " " : "", entry.name);
    }
}

static void append_choices(struct text *text, const char *const *choices)
{
    for (size_t i = 0; choices[i]; i++)
        text_format(text, "%s%s", i ? " " : "", choices[i]);
}

/* Up to the first sentence's end; a full stop may be part of a file's name. */
static size_t sentence_length(const char *summary)
{
    const char *behind = strstr(summary, ". ");
    size_t length = behind ? (size_t)(behind - summary) : strlen(summary);
    return length && summary[length - 1] == '.' ? length - 1 : length;
}

/* Appends letters for a place between single quotes, each of `escaped` behind a backslash. */
static void append_quoted(struct text *text, const char *letters, size_t length, const char *quote,
                          const char *escaped)
{
    for (size_t i = 0; i < length; i++) {
        if (letters[i] == '\'') {
            text_append(text, quote);
            continue;
        }
        if (strchr(escaped, letters[i]))
            text_append_char(text, '\\');
        text_append_char(text, letters[i]);
    }
}

static const char bash_functions[] =
    "# Those of the words $2 that begin with $1.\n"
    "_linchpin_words()\n"
    "{\n"
    "    mapfile -t COMPREPLY < <(compgen -W \"$2\" -- \"$1\")\n"
    "}\n"
    "\n"
    "# Adds the files that begin with $1 and end with one of $2, and folders.\n"
    "_linchpin_files()\n"
    "{\n"
    "    local file ending endings=($2)\n"
    "    compopt -o filenames 2>/dev/null\n"
    "    while IFS= read -r file; do\n"
    "        [ -d \"$file\" ] && COMPREPLY+=(\"$file\") && continue\n"
    "        for ending in \"${endings[@]:-}\"; do\n"
    "            [[ $file == *\"$ending\" ]] && COMPREPLY+=(\"$file\") && break\n"
    "        done\n"
    "    done < <(compgen -f -- \"$1\")\n"
    "}\n"
    "\n"
    "# Those of the words $2 that may come next in a list with commas, $1.\n"
    "_linchpin_list()\n"
    "{\n"
    "    local before=\"\" word words=\"\"\n"
    "    [[ $1 == *,* ]] && before=${1%,*},\n"
    "    for word in $2; do\n"
    "        [[ ,$before == *,$word,* ]] || words+=\" $before$word\"\n"
    "    done\n"
    "    compopt -o nospace 2>/dev/null\n"
    "    _linchpin_words \"$1\" \"$words\"\n"
    "}\n"
    "\n"
    "_linchpin()\n"
    "{\n"
    "    local word=${COMP_WORDS[COMP_CWORD]} command=${COMP_WORDS[1]} at=$((COMP_CWORD - 1)) "
    "option i\n"
    "    COMPREPLY=()\n"
    "    # bash takes --option=value apart; back to the option\n"
    "    [ \"$word\" = = ] && word=\"\" && at=$COMP_CWORD\n"
    "    while [ \"${COMP_WORDS[at]}\" = = ]; do\n"
    "        at=$((at - 1))\n"
    "        [ \"${COMP_WORDS[at]:0:1}\" = - ] && break\n"
    "        at=$((at - 1))\n"
    "    done\n"
    "    option=${COMP_WORDS[at]}\n"
    "    for ((i = 2; i < COMP_CWORD; i++)); do\n"
    "        [ \"${COMP_WORDS[i]}\" = -- ] && option=\"\" command=--\n"
    "    done\n"
    "    [ \"$COMP_CWORD\" = 1 ] && command=\"\" option=\"\"\n"
    "    [ \"$command\" = help ] && [ \"$COMP_CWORD\" = 2 ] && command=\"\" option=\"\"\n"
    "    case $command:$option in\n";

static void bash_option(struct text *text, const struct command *command,
                        const struct option_described *option, const char *specifications)
{
    if (option->takes == ARGUMENT_NONE)
        return;
    text_format(text, "    %s:--%s", command->name, option->name);
    if (option->letter)
        text_format(text, " | %s:-%c", command->name, option->letter);
    text_append(text, ") ");
    switch (option->takes) {
    case ARGUMENT_FILE:
        text_append(text, "_linchpin_files \"$word\" \"\" ;;\n");
        return;
    case ARGUMENT_CHOICE:
    case ARGUMENT_CHOICES:
        text_format(text, "_linchpin_%s \"$word\" \"",
                    option->takes == ARGUMENT_CHOICE ? "words" : "list");
        append_choices(text, option->choices);
        text_append(text, "\" ;;\n");
        return;
    case ARGUMENT_SPECIFICATION:
        text_format(text, "_linchpin_words \"$word\" \"%s\"", specifications);
        text_append(text,
                    command->bit == FOR_CHECK ? "; _linchpin_files \"$word\" .lin ;;\n" : " ;;\n");
        return;
    case ARGUMENT_NONE:
    case ARGUMENT_PLAIN:
        text_append(text, ";;\n");
    }
}

static void bash_command(struct text *text, const struct command *command)
{
    struct option_described option;
    const char *endings = operand_endings(command);
    text_format(text, "    %s:*)\n", command->name);
    if (command->bit != FOR_COMPILERS) {
        text_append(text, "        if [ \"${word:0:1}\" = - ]; then\n"
                          "            _linchpin_words \"$word\" \"");
        for (size_t i = 0; options_describe(command, i, &option); i++) {
            if (option.letter)
                text_format(text, "-%c ", option.letter);
            text_format(text, "--%s ", option.name);
        }
        text_append(text, "\"\n            return\n        fi\n");
    }
    if (endings)
        text_format(text, "        _linchpin_files \"$word\" \"%s\"\n", endings);
    text_append(text, "        ;;\n");
}

static void write_bash(const struct command *commands, size_t count, struct text *text)
{
    struct option_described option;
    struct text specifications = TEXT_EMPTY;
    append_specifications(&specifications);
    text_append(text, "# Completion for bash, written by `linchpin completions bash`.\n\n");
    text_append(text, bash_functions);
    text_append(text, "    :) _linchpin_words \"$word\" \"help --help --version");
    for (size_t i = 0; i < count; i++)
        text_format(text, " %s", commands[i].name);
    text_append(text, "\" ;;\n    --:) _linchpin_files \"$word\" \"\" ;;\n");
    for (size_t i = 0; i < count; i++) {
        for (size_t j = 0; options_describe(&commands[i], j, &option); j++)
            bash_option(text, &commands[i], &option, text_string(&specifications));
        bash_command(text, &commands[i]);
    }
    text_append(text, "    esac\n}\ncomplete -F _linchpin linchpin\n");
    text_release(&specifications);
}

static const char zsh_functions[] =
    "#compdef linchpin\n"
    "# Completion for zsh, written by `linchpin completions zsh`.\n"
    "\n"
    "# Built-in specifications, and the files that the argument selects.\n"
    "_linchpin_specifications() {\n"
    "    compset -P '*='\n"
    "    _alternative 'specifications:specification:(%s)' ${1:+\"files:file:_files -g '$1'\"}\n"
    "}\n"
    "\n";

/* `:FORMAT:(json edn)`, within single quotes. */
static void zsh_argument(struct text *text, const struct command *command,
                         const struct option_described *option)
{
    if (option->takes == ARGUMENT_NONE)
        return;
    text_append(text, ":");
    append_quoted(text, option->argument, strlen(option->argument), "'\\''", ":\\");
    text_append(text, ":");
    if (option->takes == ARGUMENT_FILE) {
        text_append(text, "_files");
    } else if (option->takes == ARGUMENT_CHOICE) {
        text_append(text, "(");
        append_choices(text, option->choices);
        text_append(text, ")");
    } else if (option->takes == ARGUMENT_CHOICES) {
        text_format(text, "_values -s , %s ", option->argument);
        append_choices(text, option->choices);
    } else if (option->takes == ARGUMENT_SPECIFICATION) {
        text_append(text, command->bit == FOR_CHECK ? " _linchpin_specifications \"*.lin\""
                                                    : " _linchpin_specifications");
    }
}

static void zsh_option(struct text *text, const struct command *command,
                       const struct option_described *option)
{
    struct text rest = TEXT_EMPTY;
    bool again = option->takes == ARGUMENT_SPECIFICATION || strcmp(option->name, "verbose") == 0;
    text_append(&rest, "[");
    append_quoted(&rest, option->help, strlen(option->help), "'\\''", "[]\\");
    text_append(&rest, "]");
    zsh_argument(&rest, command, option);
    if (option->letter)
        text_format(text, " \\\n            '%s-%c%s%s'", again ? "*" : "", option->letter,
                    option->takes == ARGUMENT_NONE ? "" : "+", text_string(&rest));
    text_format(text, " \\\n            '%s--%s%s%s'", again ? "*" : "", option->name,
                option->takes == ARGUMENT_NONE ? "" : "=", text_string(&rest));
    text_release(&rest);
}

static void zsh_command(struct text *text, const struct command *command)
{
    struct option_described option;
    const char *endings = operand_endings(command);
    text_format(text, "    %s)\n        _arguments -s -S :", command->name);
    for (size_t i = 0; command->bit != FOR_COMPILERS && options_describe(command, i, &option); i++)
        zsh_option(text, command, &option);
    if (endings) {
        text_append(text, " \\\n            '*:file:_files");
        for (const char *at = endings; *at;) {
            size_t length = strcspn(at, " ");
            text_format(text, "%s%.*s", at == endings ? " -g \"*(" : "|", (int)length, at);
            at += length + (at[length] == ' ');
        }
        text_append(text, *endings ? ")(-.)\"'" : "'");
    }
    text_append(text, "\n        ;;\n");
}

static void write_zsh(const struct command *commands, size_t count, struct text *text)
{
    struct text specifications = TEXT_EMPTY;
    append_specifications(&specifications);
    text_format(text, zsh_functions, text_string(&specifications));
    text_release(&specifications);
    text_append(text, "_linchpin() {\n    local -a commands=(\n");
    for (size_t i = 0; i < count; i++) {
        text_append(text, "        '");
        append_quoted(text, commands[i].name, strlen(commands[i].name), "'\\''", ":\\");
        text_append(text, ":");
        append_quoted(text, commands[i].summary, sentence_length(commands[i].summary), "'\\''",
                      "\\");
        text_append(text, "'\n");
    }
    text_append(text, "        'help:Lists the options of a command'\n"
                      "    )\n"
                      "    if ((CURRENT == 2)) || [[ $CURRENT == 3 && $words[2] == help ]]; then\n"
                      "        _describe -t commands command commands\n"
                      "        return\n"
                      "    fi\n"
                      "    local curcontext=\"$curcontext\" command=$words[2]\n"
                      "    shift words\n"
                      "    ((CURRENT--))\n"
                      "    case $command in\n");
    for (size_t i = 0; i < count; i++)
        zsh_command(text, &commands[i]);
    text_append(text, "    esac\n}\n\n"
                      "if [[ $funcstack[1] == _linchpin ]]; then\n"
                      "    _linchpin \"$@\"\n"
                      "else\n"
                      "    compdef _linchpin linchpin\n"
                      "fi\n");
}

static const char fish_functions[] =
    "# Completion for fish, written by `linchpin completions fish`.\n"
    "\n"
    "# Whether the command is one of the arguments; without any, whether there is none yet.\n"
    "function __linchpin_in\n"
    "    set -l words (commandline -opc)\n"
    "    if test (count $argv) = 0\n"
    "        test (count $words) = 1; or begin; test (count $words) = 2; and test $words[2] = "
    "help; end\n"
    "        return\n"
    "    end\n"
    "    test (count $words) -gt 1; and contains -- $words[2] $argv\n"
    "end\n"
    "\n"
    "# Folders, and the files that end with one of the arguments; without any, every file.\n"
    "function __linchpin_files\n"
    "    for file in (__fish_complete_path (commandline -ct | string replace -r '^.*=' ''))\n"
    "        set -l name (string split -f 1 \\t -- $file)\n"
    "        set -l fits (test (count $argv) = 0; or string match -q -- '*/' $name; and echo yes)\n"
    "        for ending in $argv\n"
    "            string match -q -- \"*$ending\" $name; and set fits yes\n"
    "        end\n"
    "        test -n \"$fits\"; and echo $file\n"
    "    end\n"
    "end\n"
    "\n"
    "# The built-in specifications that are the arguments, behind OBJECT= if that is there.\n"
    "function __linchpin_specifications\n"
    "    set -l before (commandline -ct | string replace -r '^--spec=' '' | string match -r "
    "'^.*=')\n"
    "    set -q before[1]; or set before ''\n"
    "    printf '%s\\n' $before$argv\n"
    "end\n"
    "\n"
    "complete -c linchpin -f\n";

static void fish_option(struct text *text, const struct command *command,
                        const struct option_described *option, const char *specifications)
{
    text_format(text, "complete -c linchpin -n '__linchpin_in %s' -l %s", command->name,
                option->name);
    if (option->letter)
        text_format(text, " -s %c", option->letter);
    switch (option->takes) {
    case ARGUMENT_NONE:
        break;
    case ARGUMENT_PLAIN:
        text_append(text, " -x");
        break;
    case ARGUMENT_FILE:
        text_append(text, " -r -F");
        break;
    case ARGUMENT_CHOICE:
        text_append(text, " -x -a '");
        append_choices(text, option->choices);
        text_append(text, "'");
        break;
    case ARGUMENT_CHOICES:
        text_append(text, " -x -a '(__fish_append , ");
        append_choices(text, option->choices);
        text_append(text, ")'");
        break;
    case ARGUMENT_SPECIFICATION:
        text_format(text, " -x -a '(__linchpin_specifications %s)%s'", specifications,
                    command->bit == FOR_CHECK ? " (__linchpin_files .lin)" : "");
        break;
    }
    text_append(text, " -d '");
    append_quoted(text, option->help, strlen(option->help), "\\'", "\\");
    text_append(text, "'\n");
}

static void write_fish(const struct command *commands, size_t count, struct text *text)
{
    struct option_described option;
    struct text specifications = TEXT_EMPTY;
    append_specifications(&specifications);
    text_append(text, fish_functions);
    text_append(text, "complete -c linchpin -n __linchpin_in -a help -d 'Lists the options of a "
                      "command'\n");
    for (size_t i = 0; i < count; i++) {
        const struct command *command = &commands[i];
        const char *endings = operand_endings(command);
        text_format(text, "complete -c linchpin -n __linchpin_in -a %s -d '", command->name);
        append_quoted(text, command->summary, sentence_length(command->summary), "\\'", "\\");
        text_append(text, "'\n");
        if (endings)
            text_format(text,
                        "complete -c linchpin -n '__linchpin_in %s' -a '(__linchpin_files%s%s)'\n",
                        command->name, *endings ? " " : "", endings);
        for (size_t j = 0; command->bit != FOR_COMPILERS && options_describe(command, j, &option);
             j++)
            fish_option(text, command, &option, text_string(&specifications));
    }
    text_release(&specifications);
}

bool completions_write(const char *shell, const struct command *commands, size_t count, FILE *out)
{
    static const struct {
        const char *shell;
        void (*write)(const struct command *commands, size_t count, struct text *text);
    } writers[] = {{"bash", write_bash}, {"zsh", write_zsh}, {"fish", write_fish}};
    for (size_t i = 0; i < ARRAY_LENGTH(writers); i++) {
        if (strcmp(writers[i].shell, shell) != 0)
            continue;
        struct text text = TEXT_EMPTY;
        writers[i].write(commands, count, &text);
        fputs(text_string(&text), out);
        text_release(&text);
        return true;
    }
    return false;
}
