import { availableParallelism, cpus, loadavg, totalmem } from 'node:os'

export interface Machine {
  readonly cpu: string
  readonly cores: number
  readonly memoryGiB: number
  readonly platform: string
  readonly node: string
  readonly loadAtStart: number
}

export function describeMachine(): Machine {
  return {
    cpu: cpus()[0]?.model ?? 'unknown',
    cores: availableParallelism(),
    memoryGiB: Math.round(totalmem() / 2 ** 30),
    platform: `${process.platform}-${process.arch}`,
    node: process.version,
    loadAtStart: Number((loadavg()[0] ?? 0).toFixed(2)),
  }
}

export function machineLine(machine: Machine): string {
  const { cpu, cores, memoryGiB, platform, node, loadAtStart } = machine
  return `Node ${node} on ${platform}, ${cpu}, ${cores} cores, ${memoryGiB} GiB, load ${loadAtStart} at start`
}
