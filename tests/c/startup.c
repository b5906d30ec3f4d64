/* Start of a bare Cortex-M7: the vector table, and the floating-point unit switched on before the C library starts. */

void _start(void);

__attribute__((naked, noreturn)) static void reset(void)
{
    /* CPACR: full access to coprocessors 10 and 11. */
    __asm volatile("ldr r0, =0xE000ED88\n"
                   "ldr r1, [r0]\n"
                   "orr r1, r1, #0xF00000\n"
                   "str r1, [r0]\n"
                   "dsb\n"
                   "isb\n"
                   "b _start\n");
}

static void fault(void)
{
    for (;;) {
    }
}

/* The linker puts it at address 0; the stack ends in the middle of the memory that the board has there. */
__attribute__((section(".vectors"), used)) static void (*const vectors[7])(void) = {
    (void (*)(void))0x00200000, reset, fault, fault, fault, fault, fault,
};
