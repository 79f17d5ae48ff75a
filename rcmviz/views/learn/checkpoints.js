// The choice of a checkpoint.

export function lastStep(method) {
  return method.points.step[method.points.step.length - 1] ?? 0;
}

export function nearest(steps, step) {
  return steps.reduce(
    (best, other) => (Math.abs(other - step) < Math.abs(best - step) ? other : best),
    steps[0] ?? null,
  );
}

export function checkpointAt(view, method) {
  const step = view.shown();
  const kept = method.checkpoints.filter((checkpoint) => checkpoint.step <= step);
  return kept[kept.length - 1] || method.checkpoints[0] || null;
}

// Why there is no checkpoint.
export function withoutCheckpoint(...methods) {
  return methods.every((method) => method.status === "cancelled")
    ? "cancelled: no checkpoint is kept"
    : "no checkpoint yet";
}
