import assert from 'node:assert/strict'

/**
 * CPU time, because wall-clock time grows with other load. Far above linear work on a few megabytes, far below quadratic work.
 */
const MAX_CPU_MS = 4_000

export function expectLittleCpu(): (what: string) => void {
  const before = process.cpuUsage()
  return (what) => {
    const { user, system } = process.cpuUsage(before)
    const tookMs = Math.round((user + system) / 1000)
    assert.ok(tookMs < MAX_CPU_MS, `${what} took ${tookMs} ms of CPU time, expected less than ${MAX_CPU_MS}`)
  }
}
