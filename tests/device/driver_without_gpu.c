/* The functions of NVIDIA's driver that gluonic uses, over memory of the host, with what tests ask of them:
   a journal of the calls, a limit of memory, and failures on demand. Work runs when it is queued. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef int Status;
enum { OK = 0, INVALID = 1, NO_MEMORY = 2, NO_DEVICE = 100, BAD_ORDINAL = 101, NO_CONTEXT = 201,
       BAD_PTX = 218, NEW_PTX = 222, NOT_FOUND = 500, ILLEGAL_ADDRESS = 700 };
#define MOST 4096
#define MOST_ARGUMENTS 32

static char journal[1 << 16];
static size_t written;
static char failing[64];
static Status failure, lost;
static int failures, devices = 1, version = 13000;
static size_t memory = 64 << 20, in_use, pinned_at, pinned_size;
static _Thread_local const void *current;

static void note(const char *name) {
    if (written + strlen(name) + 2 < sizeof journal) written += sprintf(journal + written, "%s\n", name);
}

static Status begin(const char *name) {
    note(name);
    if (lost) return lost;
    if (failures && !strcmp(name, failing)) { --failures; return failure; }
    return OK;
}
#define BEGIN { Status status = begin(__func__); if (status) return status; }
#define BEGIN_IN_CONTEXT BEGIN if (!current) return NO_CONTEXT;

/* ---------------------------------------------------------------- what tests ask for */
const char *test_journal(void) { return journal; }
void test_forget(void) { journal[0] = 0; written = 0; }
void test_fail(const char *name, Status status, int times) { strcpy(failing, name); failure = status; failures = times; }
void test_devices(int count) { devices = count; }
void test_version(int number) { version = number; }
void test_memory(size_t size) { memory = size; }
size_t test_in_use(void) { return in_use; }
void test_pin(size_t address, size_t size) { pinned_at = address; pinned_size = size; }
static struct { char *start; size_t size; } blocks[MOST];
void test_reset(void) {
    for (int i = 0; i < MOST; ++i) { free(blocks[i].start); blocks[i].start = 0; }
    in_use = 0;
    test_forget(); failures = 0; lost = OK; devices = 1; version = 13000; memory = 64 << 20; pinned_size = 0;
}

/* ---------------------------------------------------------------- the driver, its devices */
Status cuInit(unsigned flags) { BEGIN (void)flags; return devices ? OK : NO_DEVICE; }
Status cuDriverGetVersion(int *number) { *number = version; return OK; }
Status cuGetErrorName(Status status, const char **text) {
    *text = status == NO_MEMORY ? "CUDA_ERROR_OUT_OF_MEMORY" : status == ILLEGAL_ADDRESS ? "CUDA_ERROR_ILLEGAL_ADDRESS"
        : status == NEW_PTX ? "CUDA_ERROR_UNSUPPORTED_PTX_VERSION" : "CUDA_ERROR_OTHER";
    return OK;
}
Status cuGetErrorString(Status status, const char **text) {
    *text = status == NO_MEMORY ? "out of memory" : status == ILLEGAL_ADDRESS ? "an illegal memory access was encountered" : "another error";
    return OK;
}
Status cuDeviceGetCount(int *count) { BEGIN *count = devices; return OK; }
Status cuDeviceGet(int *device, int ordinal) { BEGIN if (ordinal >= devices) return BAD_ORDINAL; *device = ordinal; return OK; }
Status cuDeviceGetName(char *text, int size, int device) { BEGIN (void)device; snprintf(text, size, "No GPU at all"); return OK; }
Status cuDeviceTotalMem_v2(size_t *size, int device) { BEGIN (void)device; *size = memory; return OK; }
Status cuDeviceGetAttribute(int *value, int attribute, int device) {
    BEGIN (void)device;
    switch (attribute) {
        case 16: *value = 4; break;
        case 39: *value = 2048; break;
        case 75: *value = 9; break;
        case 76: *value = 0; break;
        case 97: *value = 227 << 10; break;
        default: *value = 0;
    }
    return OK;
}
static char contexts[16];
Status cuDevicePrimaryCtxRetain(void **context, int device) { BEGIN *context = contexts + device; return OK; }
Status cuCtxSetCurrent(void *context) { BEGIN current = context; return OK; }

/* ---------------------------------------------------------------- memory */
Status cuMemGetInfo_v2(size_t *free_, size_t *total) { BEGIN_IN_CONTEXT *free_ = memory - in_use; *total = memory; return OK; }
Status cuMemAlloc_v2(uint64_t *address, size_t size) {
    BEGIN_IN_CONTEXT
    if (in_use + size > memory) return NO_MEMORY;
    for (int i = 0; i < MOST; ++i) if (!blocks[i].start) {
        blocks[i].start = aligned_alloc(256, (size + 255) / 256 * 256);
        blocks[i].size = size;
        in_use += size;
        *address = (uint64_t)blocks[i].start;
        return OK;
    }
    return NO_MEMORY;
}
Status cuMemFree_v2(uint64_t address) {
    BEGIN_IN_CONTEXT
    for (int i = 0; i < MOST; ++i) if (blocks[i].start == (char *)address) {
        free(blocks[i].start); blocks[i].start = 0; in_use -= blocks[i].size; return OK;
    }
    return INVALID;
}
static int is_there(uint64_t address, size_t size) {
    for (int i = 0; i < MOST; ++i)
        if (blocks[i].start && (char *)address >= blocks[i].start && (char *)address + size <= blocks[i].start + blocks[i].size) return 1;
    return 0;
}
static struct { char *start; size_t size; } locked[MOST];
Status cuMemHostAlloc(void **address, size_t size, unsigned flags) {
    BEGIN_IN_CONTEXT (void)flags;
    for (int i = 0; i < MOST; ++i) if (!locked[i].start) {
        *address = locked[i].start = malloc(size); locked[i].size = size; return OK;
    }
    return NO_MEMORY;
}
Status cuMemFreeHost(void *address) {
    BEGIN_IN_CONTEXT
    for (int i = 0; i < MOST; ++i) if (locked[i].start == address) { free(address); locked[i].start = 0; return OK; }
    return INVALID;
}
Status cuPointerGetAttribute(unsigned *value, int attribute, uint64_t address) {
    BEGIN (void)attribute; *value = 1;
    for (int i = 0; i < MOST; ++i) if (locked[i].start && address - (uint64_t)locked[i].start < locked[i].size) return OK;
    return address - pinned_at < pinned_size ? OK : INVALID;
}

/* ---------------------------------------------------------------- work, which runs at once */
typedef struct Work { int kind; uint64_t a, b; size_t size; const struct Function *function; int64_t arguments[MOST_ARGUMENTS]; } Work;
typedef struct { int count; Work work[256]; } Graph;

Status cuStreamCreate(void **stream, unsigned flags) { BEGIN_IN_CONTEXT static char one; (void)flags; *stream = &one; return OK; }
Status cuStreamSynchronize(void *stream) { BEGIN_IN_CONTEXT (void)stream; return OK; }
Status cuStreamWaitEvent(void *stream, void *event, unsigned flags) { BEGIN_IN_CONTEXT (void)stream; (void)event; (void)flags; return OK; }

typedef struct Function { char name[64]; int parameters; } Function;
static Status run(const Work *work) {
    if (work->kind == 'c') memmove((void *)work->a, (void *)work->b, work->size);
    if (work->kind == '1') memset((void *)work->a, (int)work->b, work->size);
    if (work->kind == '2') for (size_t i = 0; i < work->size; ++i) ((uint16_t *)work->a)[i] = (uint16_t)work->b;
    if (work->kind == '4') for (size_t i = 0; i < work->size; ++i) ((uint32_t *)work->a)[i] = (uint32_t)work->b;
    if (work->kind == 'k' && !strcmp(work->function->name, "add")) {          /* add(target, number, count) */
        for (int64_t i = 0; i < work->arguments[2]; ++i) ((int64_t *)work->arguments[0])[i] += work->arguments[1];
    }
    if (work->kind == 'k' && !strcmp(work->function->name, "faulty")) lost = ILLEGAL_ADDRESS;
    return OK;
}
static Status queue(const Work *work, void *stream) { (void)stream; return run(work); }
Status cuMemcpyHtoD_v2(uint64_t to, void *from, size_t size) {
    BEGIN_IN_CONTEXT if (!is_there(to, size)) return INVALID; memcpy((void *)to, from, size); return OK;
}
Status cuMemcpyHtoDAsync_v2(uint64_t to, void *from, size_t size, void *stream) {
    BEGIN_IN_CONTEXT (void)stream; if (!is_there(to, size)) return INVALID; memcpy((void *)to, from, size); return OK;
}
Status cuMemcpyDtoH_v2(void *to, uint64_t from, size_t size) {
    BEGIN_IN_CONTEXT if (!is_there(from, size)) return INVALID; memcpy(to, (void *)from, size); return OK;
}
Status cuMemcpyDtoHAsync_v2(void *to, uint64_t from, size_t size, void *stream) {
    BEGIN_IN_CONTEXT (void)stream; if (!is_there(from, size)) return INVALID; memcpy(to, (void *)from, size); return OK;
}
Status cuMemcpyDtoDAsync_v2(uint64_t to, uint64_t from, size_t size, void *stream) {
    BEGIN_IN_CONTEXT
    if (!is_there(to, size) || !is_there(from, size)) return INVALID;
    Work work = {'c', to, from, size, 0, {0}}; return queue(&work, stream);
}
Status cuMemcpyPeerAsync(uint64_t to, void *there, uint64_t from, void *here, size_t size, void *stream) {
    BEGIN_IN_CONTEXT (void)there; (void)here;
    if (!is_there(to, size) || !is_there(from, size)) return INVALID;
    Work work = {'c', to, from, size, 0, {0}}; return queue(&work, stream);
}
#define FILL(bits, type, letter) Status cuMemsetD##bits##Async(uint64_t to, type value, size_t count, void *stream) { \
    BEGIN_IN_CONTEXT if (!is_there(to, count * sizeof(type))) return INVALID; \
    Work work = {letter, to, value, count, 0, {0}}; return queue(&work, stream); }
FILL(8, unsigned char, '1')
FILL(16, unsigned short, '2')
FILL(32, unsigned, '4')

/* ---------------------------------------------------------------- kernels */
Status cuModuleLoadDataEx(void **module, const char *ptx, unsigned count, int *options, void **values) {
    BEGIN_IN_CONTEXT
    int major = 0, minor = 0;
    const char *head = strstr(ptx, ".version ");
    if (!head || sscanf(head, ".version %d.%d", &major, &minor) != 2) {
        for (unsigned i = 0; i < count; ++i) if (options[i] == 5) strcpy(values[i], "line 1; the version is missing");
        return BAD_PTX;
    }
    if (major > 9) return NEW_PTX;
    *module = strcpy(malloc(strlen(ptx) + 1), ptx);
    return OK;
}
Status cuModuleUnload(void *module) { BEGIN_IN_CONTEXT free(module); return OK; }
Status cuModuleGetFunction(void **function, void *module, const char *name) {
    BEGIN_IN_CONTEXT
    char entry[128];
    snprintf(entry, sizeof entry, ".entry %s(", name);
    const char *at = strstr(module, entry);
    if (!at) return NOT_FOUND;
    Function *one = calloc(1, sizeof *one);
    strcpy(one->name, name);
    for (const char *end = strchr(at, ')'); (at = strstr(at, ".param")) && at < end; ++at) ++one->parameters;
    *function = one;
    return OK;
}
Status cuFuncGetAttribute(int *value, int attribute, void *function) { BEGIN_IN_CONTEXT (void)function; *value = attribute == 4 ? 18 : attribute == 1 ? 1024 : 0; return OK; }
Status cuFuncSetAttribute(void *function, int attribute, int value) { BEGIN_IN_CONTEXT (void)function; (void)attribute; return value > 227 << 10 ? INVALID : OK; }
Status cuLaunchKernel(void *function, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz,
                      unsigned shared, void *stream, void **arguments, void **extra) {
    BEGIN_IN_CONTEXT (void)extra; (void)shared;
    if (!gx || !gy || !gz || bx * by * bz > 1024) return INVALID;
    Work work = {'k', 0, 0, 0, function, {0}};
    for (int i = 0; i < work.function->parameters; ++i) work.arguments[i] = *(int64_t *)arguments[i];
    return queue(&work, stream);
}

/* A description of a matrix: the address, and numbers that say what was asked for. */
Status cuTensorMapEncodeTiled(int64_t *words, int type, unsigned rank, uint64_t address, const uint64_t *extents, const uint64_t *pitches,
                              const unsigned *boxes, const unsigned *steps, int interleave, int swizzle, int fetch, int beyond) {
    BEGIN
    if ((uintptr_t)words % 64 || address % 16 || rank != 2 || steps[0] != 1 || steps[1] != 1 || interleave || beyond) return INVALID;
    const int64_t numbers[16] = {address, type, rank, extents[0], extents[1], pitches[0], boxes[0], boxes[1], swizzle << 12 | fetch << 4};
    memcpy(words, numbers, sizeof numbers);
    return OK;
}

/* ---------------------------------------------------------------- time, graphs */
Status cuEventCreate(void **event, unsigned flags) { BEGIN_IN_CONTEXT (void)flags; *event = calloc(1, 8); return OK; }
Status cuEventDestroy_v2(void *event) { BEGIN free(event); return OK; }
Status cuEventRecord(void *event, void *stream) { BEGIN_IN_CONTEXT (void)stream; static int64_t now; *(int64_t *)event = ++now; return OK; }
Status cuEventQuery(void *event) { BEGIN_IN_CONTEXT (void)event; return OK; }
Status cuEventSynchronize(void *event) { BEGIN_IN_CONTEXT (void)event; return OK; }
Status cuEventElapsedTime(float *milliseconds, void *start, void *end) {
    BEGIN_IN_CONTEXT *milliseconds = (float)(*(int64_t *)end - *(int64_t *)start); return OK;
}
Status cuGraphCreate(void **graph, unsigned flags) { BEGIN_IN_CONTEXT (void)flags; *graph = calloc(1, sizeof(Graph)); return OK; }
typedef struct { Function *function; unsigned dimensions[7]; void **arguments, **extra; } Node;
static void fill(Work *work, const Node *params) {
    work->kind = 'k'; work->function = params->function;
    for (int i = 0; i < work->function->parameters; ++i) work->arguments[i] = *(int64_t *)params->arguments[i];
}
Status cuGraphAddKernelNode(void **node, void *graph_, void **waits, size_t count, const Node *params) {
    BEGIN_IN_CONTEXT
    Graph *graph = graph_;
    if (count != (graph->count > 0) || (count && (uintptr_t)*waits != (uintptr_t)graph->count)) return INVALID;
    fill(&graph->work[graph->count++], params);
    *node = (void *)(uintptr_t)graph->count;
    return OK;
}
Status cuGraphInstantiateWithFlags(void **executable, void *graph, uint64_t flags) {
    BEGIN_IN_CONTEXT (void)flags; *executable = malloc(sizeof(Graph)); memcpy(*executable, graph, sizeof(Graph)); return OK;
}
Status cuGraphExecKernelNodeSetParams(void *executable, void *at, const Node *params) {
    BEGIN_IN_CONTEXT
    Work *work = &((Graph *)executable)->work[(uintptr_t)at - 1];
    if (work->function != params->function) return INVALID;
    fill(work, params);
    return OK;
}
Status cuGraphLaunch(void *executable, void *stream) {
    BEGIN_IN_CONTEXT (void)stream;
    Graph *graph = executable;
    for (int i = 0; i < graph->count; ++i) run(&graph->work[i]);
    return OK;
}
Status cuGraphExecDestroy(void *executable) { BEGIN_IN_CONTEXT free(executable); return OK; }
Status cuGraphDestroy(void *graph) { BEGIN_IN_CONTEXT free(graph); return OK; }
