/** The same requests to Keelson and to a geth over the same chain. */
import { appendFileSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { serveMethods } from '../../support/execution-rpc-world.ts'
import type { InteropOptions } from '../options.ts'
import { createProcessSet } from '../process-set.ts'
import { type ComparedChain, createComparedChain, FILTER_PLACEHOLDERS } from './chain.ts'
import { type Answers, judge } from './compare.ts'
import { DIFFERENCES } from './differences.ts'
import { openGeth } from './geth.ts'
import { ask, resultOf } from './json-rpc.ts'
import { generateRequests } from './requests.ts'

/** What geth serves to clients, and Keelson too. */
const NAMESPACES = /^(eth|net|web3|debug|txpool)_/
const MAX_SHOWN = 40
const MAX_TEXT = 400

export interface ComparisonReport {
  readonly sent: number
  readonly same: number
  readonly known: ReadonlyMap<string, number>
  readonly unexplained: readonly Answers[]
}

export async function compareWithGeth({ geth, requests: count, seed, portOffset, keep }: InteropOptions): Promise<ComparisonReport> {
  if (geth === null) throw new Error('--geth is missing: the path of a geth, or the URL of one with the chain that --keep writes')
  const folder = mkdtempSync(join(tmpdir(), 'keelson-geth-rpc-'))
  const processes = createProcessSet(folder)
  let chain: ComparedChain | null = null
  try {
    chain = await createComparedChain()
    chain.write(folder)
    const url = await openGeth(geth, chain, processes, portOffset)
    const server = await serveMethods(chain.node.methods)
    try {
      const methods = Object.keys(chain.node.methods).filter((name) => NAMESPACES.test(name))
      const requests = generateRequests(methods.sort(), chain.facts, { count, seed })
      return await compare(requests, server.httpUrl, url, (answers) =>
        appendFileSync(join(folder, 'differences.jsonl'), `${JSON.stringify(answers)}\n`),
      )
    } finally {
      await server.stop()
    }
  } finally {
    await processes.stopAll()
    await chain?.node.stop()
    if (keep) console.log(`kept ${folder}`)
    else rmSync(folder, { recursive: true, force: true })
  }
}

async function compare(
  requests: ReturnType<typeof generateRequests>,
  ourUrl: string,
  gethUrl: string,
  note: (answers: Answers) => void,
): Promise<ComparisonReport> {
  const [ourFilters, gethFilters] = [await openFilters(ourUrl), await openFilters(gethUrl)]
  const known = new Map<string, number>()
  const unexplained: Answers[] = []
  let same = 0
  for (const request of requests) {
    const [ours, geth] = await Promise.all([
      ask(ourUrl, request.method, withFilters(request.params, ourFilters)),
      ask(gethUrl, request.method, withFilters(request.params, gethFilters)),
    ])
    const answers = { request, ours, geth }
    const verdict = judge(answers, DIFFERENCES)
    if (verdict.kind === 'same') same++
    else if (verdict.kind === 'known') known.set(verdict.why, (known.get(verdict.why) ?? 0) + 1)
    else {
      unexplained.push(answers)
      note(answers)
    }
  }
  return { sent: requests.length, same, known, unexplained }
}

async function openFilters(url: string): Promise<ReadonlyMap<string, unknown>> {
  const open = (i: number) => (i % 2 === 0 ? resultOf(url, 'eth_newBlockFilter') : resultOf(url, 'eth_newFilter', [{}]))
  const entries = FILTER_PLACEHOLDERS.map(async (name, i) => [name, await open(i)] as const)
  return new Map(await Promise.all(entries))
}

function withFilters(params: readonly unknown[], ids: ReadonlyMap<string, unknown>): readonly unknown[] {
  return params.map((param) => (typeof param === 'string' ? (ids.get(param) ?? param) : param))
}

export function renderComparison({ sent, same, known, unexplained }: ComparisonReport, seed: number): string {
  const shown = unexplained
    .slice(0, MAX_SHOWN)
    .flatMap(({ request, ours, geth }) => [
      '',
      `  ${request.method} ${shortened(request.params)}`,
      `    ours: ${shortened(ours)}`,
      `    geth: ${shortened(geth)}`,
    ])
  const more = unexplained.length - MAX_SHOWN
  return [
    `${sent} requests with --seed ${seed}: ${same} answers the same, ${unexplained.length} differences without a reason`,
    ...[...known].sort(([, a], [, b]) => b - a).map(([why, times]) => `${String(times).padStart(6)}  ${why}`),
    ...shown,
    ...(more > 0 ? ['', `  and ${more} more`] : []),
  ].join('\n')
}

function shortened(value: unknown): string {
  const text = JSON.stringify(value)
  return text.length > MAX_TEXT ? `${text.slice(0, MAX_TEXT)}…` : text
}
