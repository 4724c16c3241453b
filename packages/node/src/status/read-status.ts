import { failingChecks, judgeHeads, type SyncStatusJson } from '../doctor/checks/running-node.ts'
import { type Answer, type Probe, quantityOf, troubleOf } from '../doctor/probe.ts'
import type { BlockStatus, HeadStatus, NodeStatus, Problem } from './node-status.ts'

export interface StatusSources {
  readonly rpc: string
  readonly rollupRpc: string
  /** By the name that problems carry. */
  readonly health: readonly (readonly [client: string, url: string])[]
}

export interface StatusDependencies {
  readonly probe: Pick<Probe, 'call' | 'get'>
  readonly nowMs: () => number
}

const SHOWN_BLOCKS = 5
const METHOD_NOT_FOUND = -32601

/** Never rejects: what does not answer is a problem of the status. */
export async function readStatus(sources: StatusSources, { probe, nowMs }: StatusDependencies): Promise<NodeStatus> {
  const nowSec = Math.floor(nowMs() / 1000)
  const [latest, sync, peers, syncing, ...health] = await Promise.all([
    probe.call(sources.rpc, 'eth_getBlockByNumber', ['latest', false]),
    probe.call(sources.rollupRpc, 'optimism_syncStatus', []),
    probe.call(sources.rollupRpc, 'opp2p_peerStats', []),
    probe.call(sources.rpc, 'eth_syncing', []),
    ...sources.health.map(([client, url]) => probe.get(url, '/healthz').then((answer) => healthProblems(client, url, answer))),
  ])
  const status = sync.kind === 'result' ? (sync.value as SyncStatusJson | null) : null
  const head = readBlock(latest, nowSec)
  const answering = [
    ...unreachable('execution', sources.rpc, latest, 'name its URL with --rpc (--devnet FOLDER for a development network)'),
    ...unreachable('consensus', sources.rollupRpc, sync, 'name its URL with --rollup-rpc (--devnet FOLDER for a development network)'),
  ]
  const old = status === null ? null : judgeHeads(status, nowSec)
  const heads: readonly Problem[] = old?.trouble == null ? [] : [{ where: 'heads', what: old.trouble.why, todo: old.trouble.todo }]
  return {
    heads: headsOf(status, nowSec),
    l1: status?.head_l1?.number === undefined ? null : { head: status.head_l1.number, derived: status.current_l1?.number ?? 0 },
    peers: peers.kind === 'result' ? ((peers.value as { readonly connected?: number } | null)?.connected ?? null) : null,
    sync: syncOf(syncing),
    blocks: head === null ? [] : [head, ...(await earlierBlocks(sources.rpc, head.number, probe, nowSec))],
    problems: [...answering, ...health.flat(), ...heads],
  }
}

function syncOf(answer: Answer): NodeStatus['sync'] {
  const json = answer.kind === 'result' ? (answer.value as { readonly stage?: string; readonly highestBlock?: string } | null) : null
  const stages = (json as { readonly stages?: readonly { readonly name: string; readonly done: string; readonly total: string }[] } | null)
    ?.stages
  const stage = stages?.find(({ name }) => name === json?.stage)
  if (stage === undefined) return null
  return { stage: stage.name, done: Number(stage.done), of: Number(stage.total), target: Number(json?.highestBlock) }
}

function unreachable(client: string, url: string, answer: Answer, todo: string): readonly Problem[] {
  if (answer.kind === 'result') return []
  const { host } = new URL(url)
  if (answer.kind === 'rpc-error' && answer.number !== METHOD_NOT_FOUND)
    return [{ where: client, what: `the ${client} client at ${host} does not say: ${answer.text}`, todo: 'wait; if it lasts, see its log' }]
  const remedy = `check that it runs, or ${todo}`
  return [{ where: client, what: `no ${client} client answers at ${host}: ${troubleOf(answer)}`, todo: remedy }]
}

function healthProblems(client: string, url: string, answer: Answer): readonly Problem[] {
  const found = failingChecks(answer)
  if (found === null) {
    const what = `no health port answers at ${new URL(url).host}, so the reasons of the ${client} client are not known`
    return [{ where: client, what, todo: 'name it with --health' }]
  }
  return found.map(({ name, why, todo }) => ({ where: `${client} ${name}`, what: why, todo }))
}

function headsOf(status: SyncStatusJson | null, nowSec: number): NodeStatus['heads'] {
  const head = (name: string): HeadStatus => {
    const { number = 0, timestamp = nowSec } = status?.[`${name}_l2`] ?? {}
    return { number, ageSec: nowSec - timestamp }
  }
  return status?.unsafe_l2 === undefined ? null : { unsafe: head('unsafe'), safe: head('safe'), finalized: head('finalized') }
}

async function earlierBlocks(rpc: string, head: number, probe: Pick<Probe, 'call'>, nowSec: number): Promise<readonly BlockStatus[]> {
  const numbers = Array.from({ length: SHOWN_BLOCKS - 1 }, (_, index) => head - 1 - index).filter((number) => number >= 0)
  const answers = await Promise.all(numbers.map((number) => probe.call(rpc, 'eth_getBlockByNumber', [`0x${number.toString(16)}`, false])))
  return answers.map((answer) => readBlock(answer, nowSec)).filter((block) => block !== null)
}

function readBlock(answer: Answer, nowSec: number): BlockStatus | null {
  if (answer.kind !== 'result' || answer.value === null || typeof answer.value !== 'object') return null
  const json = answer.value as Readonly<Record<string, unknown>>
  const field = (name: string) => quantityOf({ kind: 'result', value: json[name] })
  const [number, timestamp, gasUsed, gasLimit] = ['number', 'timestamp', 'gasUsed', 'gasLimit'].map(field)
  if (number == null || timestamp == null || gasUsed == null || gasLimit == null || typeof json.hash !== 'string') return null
  const transactions = Array.isArray(json.transactions) ? json.transactions.length : 0
  return {
    number: Number(number),
    hash: json.hash,
    ageSec: nowSec - Number(timestamp),
    transactions,
    gasUsed: Number(gasUsed),
    gasLimit: Number(gasLimit),
  }
}
