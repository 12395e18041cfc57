// A stand-in for a program: writes down how it was started, each start in a file of its own, named by its process in the
// folder $LOG. Every third start fails, so that loops end; after MAX_STARTS of them the process that started it is ended.
#include <dirent.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

extern char **environ;

static int starts(const char *folder) {
  DIR *log = opendir(folder);
  int count = 0;
  for (struct dirent *one; log != NULL && (one = readdir(log)) != NULL;) count += one->d_name[0] != '.';
  return count;
}

int main(int argc, char **argv) {
  char path[4096], folder[4096];
  const char *log = getenv("LOG");
  // Its first word may be another: `hash -p`.
  const char *file_name = (const char *)getauxval(AT_EXECFN);
  const char *slash = strrchr(file_name, '/');
  const char *name = slash == NULL ? file_name : slash + 1;
  if (log == NULL || getcwd(folder, sizeof folder) == NULL) return 1;
  snprintf(path, sizeof path, "%s/%d", log, getpid());
  FILE *file = fopen(path, "w");
  if (file == NULL) return 1;
  int settings = 0;
  while (environ[settings] != NULL) settings += 1;
  fprintf(file, "%d%c", settings, 0);
  for (int at = 0; at < settings; at += 1) fprintf(file, "%s%c", environ[at], 0);
  fprintf(file, "%s%c%s%c", folder, 0, name, 0);
  for (int at = 1; at < argc; at += 1) fprintf(file, "%s%c", argv[at], 0);
  fclose(file);

  int count = starts(log);
  // One whose bash has ended belongs to a process of the machine.
  if (count >= MAX_STARTS && getpgid(getppid()) == getpgrp()) kill(getppid(), SIGKILL);
  if (strcmp(name, "cat") != 0) return count % 3 == 2;
  // The end of a pipe that it would have to write to never ends.
  for (int at = 1; at < argc; at += 1)
    if (strncmp(argv[at], "/dev/fd/", 8) == 0) return 0;
  execv("/bin/cat", argv);
  return 1;
}
