/** Projects, builds and runs in the JSON of Lighthouse CI's protocol. */
import type { Build, Project, Run } from '../../../storage/lhci/builds.ts';

const toTimes = (createdAtMs: number) => {
  const createdAt = new Date(createdAtMs).toISOString();
  return { createdAt, updatedAt: createdAt };
};

/** @param token sent only when the project is created, or looked up by this token */
export const toProjectJson = ({ createdAtMs, ...project }: Project, token = '') => ({
  ...project,
  token,
  // This service has operators instead of admin tokens.
  adminToken: '',
  ...toTimes(createdAtMs),
});

export const toBuildJson = ({ label: _, facts, runAtMs, createdAtMs, ...build }: Build) => ({
  ...facts,
  ...build,
  runAt: new Date(runAtMs).toISOString(),
  ...toTimes(createdAtMs),
});

export const toRunJson = ({ id, buildId, url, isRepresentative, createdAtMs }: Run, { projectId }: Build) => ({
  id,
  projectId,
  buildId,
  url,
  representative: isRepresentative,
  ...toTimes(createdAtMs),
});
