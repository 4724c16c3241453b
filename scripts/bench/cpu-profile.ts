import { Session } from 'node:inspector/promises'
import { fileURLToPath } from 'node:url'

export interface HotFunction {
  readonly where: string
  readonly selfMs: number
  readonly share: number
}

export interface Profiler {
  during<T>(workload: string, work: () => Promise<T>): Promise<T>
  hottest(workload: string, count: number): readonly HotFunction[]
  readonly workloads: readonly string[]
}

const SAMPLING_INTERVAL_US = 1_000
const PROJECT = fileURLToPath(new URL('../../', import.meta.url))

export const NO_PROFILER: Profiler = { during: (_, work) => work(), hottest: () => [], workloads: [] }

export async function createProfiler(): Promise<Profiler> {
  const session = new Session()
  session.connect()
  await session.post('Profiler.enable')
  await session.post('Profiler.setSamplingInterval', { interval: SAMPLING_INTERVAL_US })
  const selfUs = new Map<string, Map<string, number>>()
  return {
    async during(workload, work) {
      await session.post('Profiler.start')
      try {
        return await work()
      } finally {
        const { profile } = await session.post('Profiler.stop')
        const spent = selfUs.get(workload) ?? new Map<string, number>()
        selfUs.set(workload, spent)
        const names = namesOf(profile.nodes)
        for (const [i, id] of (profile.samples ?? []).entries()) {
          const name = names.get(id) ?? null
          if (name === null) continue
          spent.set(name, (spent.get(name) ?? 0) + (profile.timeDeltas?.[i] ?? 0))
        }
      }
    },
    hottest(workload, count) {
      const spent = [...(selfUs.get(workload) ?? [])]
      const totalUs = spent.reduce((sum, [, us]) => sum + us, 0)
      return spent
        .sort((a, b) => b[1] - a[1])
        .slice(0, count)
        .map(([where, us]) => ({ where, selfMs: us / 1000, share: us / totalUs }))
    },
    get workloads() {
      return [...selfUs.keys()]
    },
  }
}

interface ProfileNode {
  readonly id: number
  readonly callFrame: { readonly functionName: string; readonly url: string }
  readonly children?: readonly number[] | undefined
}

function namesOf(nodes: readonly ProfileNode[]): ReadonlyMap<number, string | null> {
  const callers = new Map<number, ProfileNode>()
  for (const node of nodes) for (const child of node.children ?? []) callers.set(child, node)
  const nameOf = ({ id, callFrame: { functionName, url } }: ProfileNode): string | null => {
    if (functionName === '(idle)' || url.startsWith('node:inspector')) return null
    if (url !== '') return `${functionName === '' ? '(anonymous)' : functionName}  ${shortPath(url)}`
    const caller = callers.get(id)
    if (caller === undefined || caller.callFrame.functionName === '(root)') return functionName
    const callerName = nameOf(caller)
    return callerName === null ? null : `native code called by ${callerName}`
  }
  return new Map(nodes.map((node) => [node.id, nameOf(node)]))
}

function shortPath(url: string): string {
  const path = url.startsWith('file:') ? fileURLToPath(url.replace(/\?.*$/, '')).replace(PROJECT, '') : url
  return path.replace('node_modules/', '').replace('/dist/esm/', '/')
}
