import { statfsSync } from 'node:fs'
import type { CheckResult, HealthCheck, Metrics } from '@keelson/runtime'

export interface DiskUse {
  readonly freeBytes: number
  readonly totalBytes: number
}

const MIN_FREE_BYTES = 1024 ** 3
const MAX_USED_SHARE = 0.97
const GIB = 1024 ** 3

export function judgeDisk(folder: string, { freeBytes, totalBytes }: DiskUse): CheckResult {
  const free = `${(freeBytes / GIB).toFixed(1)} GiB free, ${((100 * freeBytes) / totalBytes).toFixed(1)}%`
  if (freeBytes >= MIN_FREE_BYTES && freeBytes >= (1 - MAX_USED_SHARE) * totalBytes) return { ok: true, detail: free }
  return {
    ok: false,
    reason: `the disk of ${folder} is nearly full: ${free}`,
    remedy: 'make room, or move the data folder to a larger disk',
  }
}

/** The check needs the folder to exist when it runs. */
export function createDiskCheck(folder: string, metrics: Metrics): HealthCheck {
  const read = (of: (use: DiskUse) => number) => () => {
    const use = diskUse(folder)
    return use === null ? Number.NaN : of(use)
  }
  const used = read(({ freeBytes, totalBytes }) => 1 - freeBytes / totalBytes)
  const free = read(({ freeBytes }) => freeBytes)
  metrics.gauge('disk_used_ratio', 'Use of the disk of the data folder', [], used)
  metrics.gauge('disk_free_bytes', 'Free space of the disk of the data folder', [], free)
  return {
    name: 'disk',
    check() {
      const use = diskUse(folder)
      return use === null ? { ok: false, reason: `the folder ${folder} cannot be read` } : judgeDisk(folder, use)
    },
  }
}

function diskUse(folder: string): DiskUse | null {
  try {
    const { bavail, blocks, bsize } = statfsSync(folder)
    return { freeBytes: bavail * bsize, totalBytes: blocks * bsize }
  } catch {
    return null
  }
}
