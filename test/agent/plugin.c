/* plugin.c: a library that test/agent/target.c loads while it runs. */
int plugin_step(int number);

__attribute__((noinline)) int plugin_step(int number)
{
    return number + 1;
}
