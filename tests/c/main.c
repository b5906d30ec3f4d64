/* Simulations that print the bits of their states; on a Cortex-M also the instructions and the stack that a step takes. */
#include "sleigh_com.h"
#include "snakeboard.h"
#include "vertical_disk.h"
#include <stdio.h>
#include <string.h>

enum { PRINTED = 10, STEPS = 1000 };

#ifdef __arm__
/* SysTick counts down at 25 MHz. QEMU with -icount shift=0 takes a nanosecond for an instruction, so that a tick is 40
 * instructions. */
#define SYSTICK ((volatile uint32_t *)0xE000E010)
#define INSTRUCTIONS_PER_TICK 40.0

static uint32_t ticks(void)
{
    return SYSTICK[2];
}

static void start_clock(void)
{
    SYSTICK[1] = 0xffffffu;
    SYSTICK[2] = 0;
    SYSTICK[0] = 5;
}

/* The stack below the caller is filled with a pattern; the words that are overwritten later are counted. */
#define PATTERN 0xA5C3A5C3u
enum { WORDS = 4096 };
static volatile uint32_t *stack_of_caller;

__attribute__((noinline)) static void paint_stack(void)
{
    stack_of_caller = (volatile uint32_t *)__builtin_dwarf_cfa();
    /* Below what this function has there itself. */
    for (int i = WORDS; i > 16; --i) {
        stack_of_caller[-i] = PATTERN;
    }
}

__attribute__((noinline)) static unsigned long used_stack(void)
{
    int i = WORDS;
    while (stack_of_caller[-i] == PATTERN) {
        --i;
    }
    return 4u * (unsigned long)i;
}

static void report(const char *name, uint32_t from, uint32_t to)
{
    const unsigned long stack = used_stack();
    const double instructions = INSTRUCTIONS_PER_TICK * (double)((from - to) & 0xffffffu) / STEPS;
    printf("# %s: %lu instructions per step, %lu bytes of stack\n", name, (unsigned long)(instructions + 0.5), stack);
}
#else
static uint32_t ticks(void)
{
    return 0;
}

static void start_clock(void)
{
}

static void paint_stack(void)
{
}

static void report(const char *name, uint32_t from, uint32_t to)
{
    (void)name;
    (void)from;
    (void)to;
}
#endif

static void print(const double *x, int n)
{
    for (int i = 0; i < n; ++i) {
        uint64_t bits;
        memcpy(&bits, x + i, sizeof bits);
        printf(" %08lx%08lx", (unsigned long)(bits >> 32), (unsigned long)(bits & 0xffffffffu));
    }
}

static nhi_status sleigh(void)
{
    const sleigh_com_parameters p = {1.0, 0.5, 0.2};
    double q[3] = {0.3, 0.0, 0.0}, v[3] = {1.2, 0.7, 0.4}, lambda[1];
    sleigh_com_dla2 sim;
    uint32_t from, to;
    nhi_status status = sleigh_com_project(&p, q, v);
    if (status == NHI_OK) {
        status = sleigh_com_dla2_start(&sim, &p, q, v, 0.01);
    }
    for (int k = 0; k < PRINTED && status == NHI_OK; ++k) {
        paint_stack();
        from = ticks();
        status = sleigh_com_dla2_steps(&sim, STEPS);
        to = ticks();
        sleigh_com_dla2_state(&sim, q, v, lambda);
        printf("sleigh_com dla2");
        print(q, 3);
        print(v, 3);
        print(lambda, 1);
        printf("\n");
        if (k == 0) {
            report("sleigh_com dla2", from, to);
        }
    }
    return status;
}

static nhi_status disk(void)
{
    const vertical_disk_parameters p = {1.0, 0.5, 0.125, 0.0625, 2.0};
    double q[4] = {0.1, -0.2, 0.4, 0.0}, v[4] = {0.65, 0.1, 1.3, 0.7}, lambda[2];
    vertical_disk_rattle sim;
    uint32_t from, to;
    nhi_status status = vertical_disk_project(&p, q, v);
    if (status == NHI_OK) {
        status = vertical_disk_rattle_start(&sim, &p, q, v, 0.01);
    }
    for (int k = 0; k < PRINTED && status == NHI_OK; ++k) {
        paint_stack();
        from = ticks();
        status = vertical_disk_rattle_steps(&sim, STEPS);
        to = ticks();
        vertical_disk_rattle_state(&sim, q, v, lambda);
        printf("vertical_disk rattle");
        print(q, 4);
        print(v, 4);
        print(lambda, 2);
        printf("\n");
        if (k == 0) {
            report("vertical_disk rattle", from, to);
        }
    }
    return status;
}

static nhi_status snakeboard(void)
{
    const snakeboard_parameters p = {1.0, 1.0, 0.5, 0.125, 0.0, 62.8, 0.0, 6.28};
    double q[5] = {1.5, 1.0, 0.0, 0.0, 0.0}, v[5] = {2.5, -0.02, 0.3, -0.2, 0.0}, lambda[2];
    snakeboard_rdp sim;
    uint32_t from, to;
    nhi_status status = snakeboard_project(&p, q, v);
    if (status == NHI_OK) {
        status = snakeboard_rdp_start(&sim, &p, q, v, 0.01);
    }
    for (int k = 0; k < PRINTED && status == NHI_OK; ++k) {
        paint_stack();
        from = ticks();
        status = snakeboard_rdp_steps(&sim, STEPS);
        to = ticks();
        snakeboard_rdp_state(&sim, q, v, lambda);
        printf("snakeboard rdp");
        print(q, 5);
        print(v, 5);
        print(lambda, 2);
        printf("\n");
        if (k == 0) {
            report("snakeboard rdp", from, to);
        }
    }
    return status;
}

int main(void)
{
    start_clock();
    const nhi_status of_sleigh = sleigh(), of_disk = disk(), of_snakeboard = snakeboard();
    printf("status %d %d %d\n", (int)of_sleigh, (int)of_disk, (int)of_snakeboard);
    return of_sleigh == NHI_OK && of_disk == NHI_OK && of_snakeboard == NHI_OK ? 0 : 1;
}
