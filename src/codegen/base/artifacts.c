#include "codegen/base/artifacts.h"

Buf *artifact_add(ArtifactList *list, const char *path) {
  vec_push(list, (Artifact){.path = path});
  return &vec_last(list).text;
}

void artifacts_free(ArtifactList *list) {
  for (size_t i = 0; i < list->len; i++) buf_free(&list->data[i].text);
  vec_free(list);
}
