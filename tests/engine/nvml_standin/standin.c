/* A stand-in for libnvidia-ml.so.1 that does what a script says.
 *
 * The script is the file named by NVML_STANDIN, read at every initialisation, one instruction a line:
 *
 *     gpu UUID TOTAL RESERVED USED NAME...     a GPU; numbers in bytes
 *     mig PARENT UUID TOTAL RESERVED USED NAME...   a slice of GPU number PARENT
 *     process GPU PID BYTES                    a process on GPU number GPU (slices are counted after all GPUs);
 *                                              PID self is the caller, @FILE is read from a file at
 *                                              every question, and nothing is listed until it is there and
 *                                              that process runs; BYTES na is "not available"
 *     program PID NAME                         what that process runs; without it the driver does not tell
 *     error FUNCTION CODE [AFTER]              FUNCTION fails with CODE, once it has worked AFTER times
 *     delay FUNCTION MICROSECONDS              FUNCTION takes its time
 *     grow BYTES                               every memory query finds so much more used
 *     wide                                     process records of 32 bytes, as the first 535 drivers had
 *
 * It is stricter than a driver: a call without a session, in a forked process or with a handle of an earlier
 * session fails. NVML_STANDIN_LOG names a file that gets a line for each initialisation and shutdown.
 * WITHOUT_V3, WITHOUT_V2 and WITHOUT_MEMORY_V2 leave out functions that old drivers do not have.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef unsigned long long u64;
enum { OK, UNINITIALIZED, INVALID, NOT_SUPPORTED, NOT_FOUND = 6, TOO_SMALL = 7, VERSION = 25 };
enum { MOST = 128 };

typedef struct { char uuid[96], name[96]; u64 total, reserved, used; int parent; } Gpu;
typedef struct { int gpu; unsigned pid; u64 used; char program[96], file[96]; } Process;
typedef struct { char name[64]; int code; long after, calls; long delay_us; } Rule;

static Gpu gpus[MOST];
static Process processes[MOST];
static Rule rules[MOST];
static int whole_count, gpu_count, process_count, rule_count, wide, sessions;
static long generation;
static u64 grow;
static pid_t owner;

static void note(const char *word) {
    const char *path = getenv("NVML_STANDIN_LOG");
    FILE *file = path ? fopen(path, "a") : NULL;
    if (file) { fprintf(file, "%s %d\n", word, (int)getpid()); fclose(file); }
}

static Rule *rule(const char *name) {
    for (int i = 0; i < rule_count; i++)
        if (!strcmp(rules[i].name, name)) return &rules[i];
    Rule *made = &rules[rule_count++];
    memset(made, 0, sizeof *made);
    snprintf(made->name, sizeof made->name, "%s", name);
    return made;
}

static void obey(char *line) {
    char name[96], program[96], size[32];
    Gpu gpu = {.parent = -1};
    long number = 0, after = 0;
    int at = 0, whose;
    line[strcspn(line, "\n")] = 0;
    if (sscanf(line, "gpu %95s %llu %llu %llu %n", gpu.uuid, &gpu.total, &gpu.reserved, &gpu.used, &at) == 4) {
        snprintf(gpu.name, sizeof gpu.name, "%s", line + at);
        gpus[gpu_count++] = gpu;
        whole_count++;
    } else if (sscanf(line, "mig %d %95s %llu %llu %llu %n", &gpu.parent, gpu.uuid, &gpu.total, &gpu.reserved,
                      &gpu.used, &at) == 5) {
        snprintf(gpu.name, sizeof gpu.name, "%s", line + at);
        gpus[gpu_count++] = gpu;
    } else if (sscanf(line, "process %d %95s %31s", &whose, name, size) == 3) {
        Process *one = &processes[process_count++];
        one->gpu = whose;
        one->pid = strcmp(name, "self") ? (unsigned)atol(name) : (unsigned)getpid();
        snprintf(one->file, sizeof one->file, "%s", *name == '@' ? name + 1 : "");
        one->used = strcmp(size, "na") ? strtoull(size, NULL, 10) : ~0ULL;
        one->program[0] = 0;
    } else if (sscanf(line, "program %95s %95s", name, program) == 2) {
        for (int i = 0; i < process_count; i++)
            if (*name == '@' ? !strcmp(processes[i].file, name + 1) : processes[i].pid == (unsigned)atol(name))
                snprintf(processes[i].program, 96, "%s", program);
    } else if (sscanf(line, "error %95s %ld %ld", name, &number, &after) >= 2) {
        rule(name)->code = (int)number;
        rule(name)->after = after;
    } else if (sscanf(line, "delay %95s %ld", name, &number) == 2) {
        rule(name)->delay_us = number;
    } else if (sscanf(line, "grow %llu", &grow) == 1) {
    } else if (!strcmp(line, "wide")) {
        wide = 1;
    } else if (*line) {
        fprintf(stderr, "stand-in: what is %s?\n", line);
        abort();
    }
}

static void read_script(void) {
    const char *path = getenv("NVML_STANDIN");
    FILE *file = path ? fopen(path, "r") : NULL;
    char line[512];
    whole_count = gpu_count = process_count = rule_count = wide = 0;
    grow = 0;
    while (file && fgets(line, sizeof line, file)) obey(line);
    if (file) fclose(file);
}

static int scripted(const char *name) {
    Rule *found = rule(name);
    if (found->delay_us) usleep((useconds_t)found->delay_us);
    return found->code && found->calls++ >= found->after ? found->code : OK;
}

static int enter(const char *name) {
    if (!sessions || owner != getpid()) return UNINITIALIZED;
    return scripted(name);
}

static void *handle_of(int index) { return (void *)(generation * MOST + index + 1); }

static Gpu *gpu_of(void *handle) {
    long index = (long)handle - generation * MOST - 1;
    return index >= 0 && index < gpu_count ? &gpus[index] : NULL;
}

#define ENTER(name) do { int code = enter(name); if (code) return code; } while (0)

int nvmlInitWithFlags(unsigned flags) {
    (void)flags;
    if (owner != getpid()) sessions = 0;
    if (!sessions) { read_script(); generation++; }
    int code = scripted("nvmlInit");
    if (code) return code;
    owner = getpid();
    sessions++;
    note("init");
    return OK;
}

int nvmlInit_v2(void) { return nvmlInitWithFlags(0); }

int nvmlShutdown(void) {
    ENTER("nvmlShutdown");
    sessions--;
    note("shutdown");
    return OK;
}

const char *nvmlErrorString(int code) { return code == 999 ? "Unknown Error" : "scripted error"; }

int nvmlSystemGetDriverVersion(char *text, unsigned size) {
    ENTER("nvmlSystemGetDriverVersion");
    snprintf(text, size, "580.00");
    return OK;
}

int nvmlSystemGetProcessName(unsigned pid, char *text, unsigned size) {
    ENTER("nvmlSystemGetProcessName");
    for (int i = 0; i < process_count; i++)
        if (processes[i].pid == pid && processes[i].program[0]) {
            snprintf(text, size, "%s", processes[i].program);
            return OK;
        }
    return NOT_FOUND;
}

int nvmlDeviceGetCount_v2(unsigned *count) {
    ENTER("nvmlDeviceGetCount");
    *count = (unsigned)whole_count;
    return OK;
}

int nvmlDeviceGetHandleByIndex_v2(unsigned index, void **handle) {
    ENTER("nvmlDeviceGetHandleByIndex");
    for (int i = 0, seen = 0; i < gpu_count; i++)
        if (gpus[i].parent < 0 && seen++ == (int)index) { *handle = handle_of(i); return OK; }
    return INVALID;
}

int nvmlDeviceGetHandleByUUID(const char *uuid, void **handle) {
    ENTER("nvmlDeviceGetHandleByUUID");
    for (int i = 0; i < gpu_count; i++)
        if (!strcmp(gpus[i].uuid, uuid)) { *handle = handle_of(i); return OK; }
    return NOT_FOUND;
}

int nvmlDeviceGetUUID(void *handle, char *text, unsigned size) {
    ENTER("nvmlDeviceGetUUID");
    Gpu *gpu = gpu_of(handle);
    if (!gpu) return INVALID;
    snprintf(text, size, "%s", gpu->uuid);
    return OK;
}

int nvmlDeviceGetName(void *handle, char *text, unsigned size) {
    ENTER("nvmlDeviceGetName");
    Gpu *gpu = gpu_of(handle);
    if (!gpu) return INVALID;
    snprintf(text, size, "%s", gpu->name);
    return OK;
}

int nvmlDeviceGetMigMode(void *handle, unsigned *current, unsigned *pending) {
    ENTER("nvmlDeviceGetMigMode");
    Gpu *gpu = gpu_of(handle);
    if (!gpu) return INVALID;
    *current = 0;
    for (int i = 0; i < gpu_count; i++)
        if (gpus[i].parent == (int)(gpu - gpus)) *current = 1;
    *pending = *current;
    return OK;
}

int nvmlDeviceGetMaxMigDeviceCount(void *handle, unsigned *count) {
    ENTER("nvmlDeviceGetMaxMigDeviceCount");
    *count = gpu_of(handle) ? 7 : 0;
    return OK;
}

int nvmlDeviceGetMigDeviceHandleByIndex(void *handle, unsigned index, void **found) {
    ENTER("nvmlDeviceGetMigDeviceHandleByIndex");
    Gpu *gpu = gpu_of(handle);
    unsigned seen = 0;
    for (int i = 0; i < gpu_count; i++)
        if (gpu && gpus[i].parent == (int)(gpu - gpus) && seen++ == index) { *found = handle_of(i); return OK; }
    return NOT_FOUND;
}

typedef struct { u64 total, free, used; } Memory;
typedef struct { unsigned version; u64 total, reserved, free, used; } Memory2;

int nvmlDeviceGetMemoryInfo(void *handle, Memory *memory) {
    ENTER("nvmlDeviceGetMemoryInfo");
    Gpu *gpu = gpu_of(handle);
    if (!gpu) return INVALID;
    memory->total = gpu->total;
    memory->used = gpu->used + gpu->reserved;
    memory->free = gpu->total - memory->used;
    gpu->used += grow;
    return OK;
}

#ifndef WITHOUT_MEMORY_V2
int nvmlDeviceGetMemoryInfo_v2(void *handle, Memory2 *memory) {
    ENTER("nvmlDeviceGetMemoryInfo_v2");
    Gpu *gpu = gpu_of(handle);
    if (!gpu) return INVALID;
    if (memory->version != (sizeof *memory | 2u << 24)) return VERSION;
    memory->total = gpu->total;
    memory->reserved = gpu->reserved;
    memory->used = gpu->used;
    memory->free = gpu->total - gpu->used - gpu->reserved;
    gpu->used += grow;
    return OK;
}
#endif

typedef struct { unsigned pid; u64 used; unsigned gpu_slice, compute_slice; } Record;
typedef struct { Record record; u64 protected_bytes; } WideRecord;

#if !defined WITHOUT_V3 || !defined WITHOUT_V2
static int is_there(Process *one) {
    if (!*one->file) return 1;
    FILE *file = fopen(one->file, "r");
    int known = file && fscanf(file, "%u", &one->pid) == 1;
    if (file) fclose(file);
    return known && !kill((pid_t)one->pid, 0);
}

static int list(void *handle, unsigned *count, void *rows, int wide_rows) {
    Gpu *gpu = gpu_of(handle);
    unsigned found = 0, room = *count;
    if (!gpu) return INVALID;
    for (int i = 0; i < process_count; i++) {
        if (processes[i].gpu != (int)(gpu - gpus) || !is_there(&processes[i])) continue;
        if (rows && found < room) {
            Record record = {processes[i].pid, processes[i].used, ~0u, ~0u};
            if (wide_rows) ((WideRecord *)rows)[found] = (WideRecord){record, 0};
            else ((Record *)rows)[found] = record;
        }
        found++;
    }
    *count = found;
    return found > room ? TOO_SMALL : OK;
}
#endif

#ifndef WITHOUT_V3
int nvmlDeviceGetComputeRunningProcesses_v3(void *handle, unsigned *count, void *rows) {
    ENTER("nvmlDeviceGetComputeRunningProcesses");
    return list(handle, count, rows, wide);
}

int nvmlDeviceGetGraphicsRunningProcesses_v3(void *handle, unsigned *count, void *rows) {
    ENTER("nvmlDeviceGetGraphicsRunningProcesses");
    (void)handle; (void)rows;
    *count = 0;
    return OK;
}
#endif

#ifndef WITHOUT_V2
int nvmlDeviceGetComputeRunningProcesses_v2(void *handle, unsigned *count, void *rows) {
    ENTER("nvmlDeviceGetComputeRunningProcesses");
    return list(handle, count, rows, 0);
}

int nvmlDeviceGetGraphicsRunningProcesses_v2(void *handle, unsigned *count, void *rows) {
    ENTER("nvmlDeviceGetGraphicsRunningProcesses");
    (void)handle; (void)rows;
    *count = 0;
    return OK;
}
#endif
