/* first.c: functions that begin with all kinds of instructions, and what they return. Under a breakpoint at each of them the output must be
 * the same: whether the instruction is emulated, or stepped in another place, cannot be told. */
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <ucontext.h>

static const long table[4] __attribute__((used)) = {11, 22, 33, 44};
static long cell __attribute__((used));
static long six(void) __attribute__((used));
static long (*pointer)(void) __attribute__((used)) = six;

__attribute__((noinline)) static long six(void)
{
    return 6;
}

/* Jumps with a condition, with the flags as call() leaves them. */
#define SHORT(X, cc) X(cc, #cc " 1f; mov $1, %eax; ret; 1: mov $2, %eax; ret")
#define LONG(X, cc, code) X(long_##cc, ".byte 0x0f, " code ", 6, 0, 0, 0; mov $1, %eax; ret; 1: mov $2, %eax; ret")
#define CONDITIONS(X)                                                                                                  \
    SHORT(X, jo)                                                                                                       \
    SHORT(X, jno)                                                                                                      \
    SHORT(X, jc)                                                                                                       \
    SHORT(X, jnc)                                                                                                      \
    SHORT(X, jz)                                                                                                       \
    SHORT(X, jnz)                                                                                                      \
    SHORT(X, jna)                                                                                                      \
    SHORT(X, ja)                                                                                                       \
    SHORT(X, js)                                                                                                       \
    SHORT(X, jns) SHORT(X, jp) SHORT(X, jnp) SHORT(X, jl) SHORT(X, jge) SHORT(X, jle) SHORT(X, jg) LONG(X, jz, "0x84") \
        LONG(X, jge, "0x8d")

/* Called with a table of longs in rdi, and 2 in rsi. */
#define FUNCTIONS(X)                                                                         \
    X(push, "push %rbx; mov $1, %eax; pop %rbx; ret")                                        \
    X(push_r12, "push %r12; pop %rax; sub %r12, %rax; ret")                                  \
    X(sub, "sub $24, %rsp; add $24, %rsp; lea 5(%rsi), %rax; ret")                           \
    X(sub_long, "sub $0x1000, %rsp; add $0x1000, %rsp; lea 6(%rsi), %rax; ret")              \
    X(sub_flags, "sub $8, %rsp; pushfq; pop %rax; lea 8(%rsp), %rsp; and $0x8c1, %eax; ret") \
    X(mov, "mov %rsi, %rax; ret")                                                            \
    X(mov_back, ".byte 0x48, 0x8b, 0xc6; ret")                                               \
    X(mov_32, "mov %esi, %eax; ret")                                                         \
    X(mov_r8, "mov %rsi, %r8; mov %r8, %rax; ret")                                           \
    X(load, "mov (%rdi), %rax; ret")                                                         \
    X(load_8, "mov 8(%rdi), %rax; ret")                                                      \
    X(load_far, ".byte 0x48, 0x8b, 0x87, 0x10, 0, 0, 0; ret")                                \
    X(load_index, "mov 8(%rdi, %rsi, 8), %rax; ret")                                         \
    X(load_32, "mov (%rdi), %eax; ret")                                                      \
    X(load_rip, "mov table+8(%rip), %rax; ret")                                              \
    X(load_stack, "mov (%rsp), %rax; sub (%rsp), %rax; ret")                                 \
    X(lea, "lea 7(%rsi, %rsi, 2), %rax; ret")                                                \
    X(lea_no_base, "lea 100(, %rsi, 8), %rax; ret")                                          \
    X(lea_rip, "lea table+16(%rip), %rax; mov (%rax), %rax; ret")                            \
    X(xor, "xor %eax, %eax; setz %al; ret")                                                  \
    X(number, "mov $77, %eax; ret")                                                          \
    X(number_r9, "mov $78, %r9d; mov %r9, %rax; ret")                                        \
    X(jump, "jmp 1f; ud2; 1: mov $9, %eax; ret")                                             \
    X(jump_far, ".byte 0xe9, 2, 0, 0, 0; ud2; mov $10, %eax; ret")                           \
    X(nop, "nop; mov $4, %eax; ret")                                                         \
    X(endbr, "endbr64; mov $5, %eax; ret")                                                   \
    X(imul, "imul $3, (%rdi), %eax; ret")                                                    \
    X(call, "call 1f; ret; 1: mov (%rsp), %rax; lea 1b(%rip), %rdx; sub %rdx, %rax; ret")    \
    X(call_memory, "call *pointer(%rip); add $1, %eax; ret")                                 \
    X(jump_memory, "jmp *pointer(%rip)")                                                     \
    X(store_rip, "movl $8, cell(%rip); mov cell(%rip), %eax; ret")                           \
    X(store_rsi, "mov %rsi, cell(%rip); mov cell(%rip), %rax; add %rsi, %rax; ret")          \
    X(lock_rip, "lock addq $1, cell(%rip); mov cell(%rip), %rax; ret")                       \
    X(sse_rip, "movq table+24(%rip), %xmm0; movq %xmm0, %rax; ret")                          \
    X(test, "test %rsi, %rsi; jz 1f; mov $3, %eax; ret; 1: ud2")                             \
    X(loop, "jrcxz 1f; 1: mov $2, %eax; ret")                                                \
    X(repeat, "rep stosb; mov %rcx, %rax; ret")                                              \
    X(ret_far, "ret $0")                                                                     \
    X(call_register, "call *%rdx; ret")                                                      \
    X(call_r8, "call *%r8; ret")                                                             \
    X(jump_register, "jmp *%rdx")                                                            \
    CONDITIONS(X)                                                                            \
    X(system, "syscall; ret")

#define DEFINE(name, code)                                                        \
    long first_##name(const long *, long);                                        \
    __attribute__((naked, used)) long first_##name(const long *numbers, long two) \
    {                                                                             \
        (void)numbers, (void)two;                                                 \
        __asm__(code);                                                            \
    }
FUNCTIONS(DEFINE)

/* With what some of them need: rcx is 5, rax is the number of getppid(), rdx and r8 lead to six(); the flags are those of a - b. */
static long call(long (*function)(const long *, long), long a, long b)
{
    register long r8 __asm__("r8") = (long)six;
    static long numbers[4];
    long result;
    for (int i = 0; i < 4; i++)
        numbers[i] = table[i];
    __asm__ volatile("mov %%rsp, %%rbx; and $-16, %%rsp; cmp %[b], %[a]; call *%[function]; mov %%rbx, %%rsp"
                     : "=a"(result), "+r"(r8)
                     : "0"(110L), "D"(numbers), "S"(2L), "c"(5L),
                       "d"(six), [function] "r"(function), [a] "r"(a), [b] "r"(b)
                     : "rbx", "r9", "r10", "r11", "xmm0", "memory", "cc");
    return result;
}

/* Faults at their first instruction; the handler sees where, and returns from it. */
long faulty(const long *, long);
__attribute__((naked, used)) long faulty(const long *numbers, long two)
{
    (void)numbers, (void)two;
    __asm__("imul $3, (%rdi), %eax; ret");
}

static long fault_at;

static void catch_fault(int signal, siginfo_t *info, void *context)
{
    ucontext_t *thread = context;
    (void)signal, (void)info;
    fault_at = (long)thread->uc_mcontext.gregs[REG_RIP];
    thread->uc_mcontext.gregs[REG_RIP] += 3; /* the ret */
}

static void print_fault(void)
{
    sigaction(SIGSEGV, &(struct sigaction){.sa_sigaction = catch_fault, .sa_flags = SA_SIGINFO}, NULL);
    for (int i = 0; i < 2; i++) {
        fault_at = 0;
        faulty((const long *)(long)(i + 1), 0);
        printf("fault at %ld\n", fault_at - (long)faulty);
    }
}

int main(void)
{
#define PRINT(name, code)                                                                         \
    printf("%s %ld %ld %ld\n", #name, call(first_##name, 1, 1), call(first_##name, INT64_MIN, 3), \
           call(first_##name, 4, 3));
    FUNCTIONS(PRINT)
    print_fault();
    return 0;
}
