import { availableParallelism, cpus, freemem, totalmem } from 'node:os'
import type { Clock } from '@keelson/primitives'
import type { Metrics } from '@keelson/runtime'

export interface MachineReadings {
  /** Milliseconds of all processors since boot. */
  cpu(): { readonly busyMs: number; readonly totalMs: number }
  /** Reports the container's memory if it has a limit, else the machine's. */
  memory(): { readonly availableBytes: number; readonly totalBytes: number }
}

/** A use of the processors is the average of at least this long. */
const CPU_WINDOW_MS = 10_000

export function registerMachineMetrics(metrics: Metrics, clock: Pick<Clock, 'nowMs'>, readings: MachineReadings = MACHINE): void {
  let from = { ...readings.cpu(), atMs: clock.nowMs() }
  let used = 0
  metrics.gauge('machine_cpu_used_ratio', 'Use of the processors of the machine', [], () => {
    const now = { ...readings.cpu(), atMs: clock.nowMs() }
    if (now.atMs - from.atMs < CPU_WINDOW_MS || now.totalMs <= from.totalMs) return used
    used = (now.busyMs - from.busyMs) / (now.totalMs - from.totalMs)
    from = now
    return used
  })
  metrics.gauge('machine_memory_used_ratio', 'Use of the memory of the machine, or of the container if it has a limit', [], () => {
    const { availableBytes, totalBytes } = readings.memory()
    return 1 - availableBytes / totalBytes
  })
  metrics.gauge('machine_processors', 'Processors that the process may use').set(availableParallelism())
}

const MACHINE: MachineReadings = {
  cpu() {
    const times = cpus().map((cpu) => cpu.times)
    const totalMs = times.reduce((sum, { user, nice, sys, idle, irq }) => sum + user + nice + sys + idle + irq, 0)
    return { totalMs, busyMs: totalMs - times.reduce((sum, { idle }) => sum + idle, 0) }
  },
  memory() {
    const limit = process.constrainedMemory()
    const isLimited = limit > 0 && limit < totalmem()
    return { availableBytes: isLimited ? process.availableMemory() : freemem(), totalBytes: isLimited ? limit : totalmem() }
  },
}
