/** JSON-RPC answers (rpc-compat): an L1 chain from Homestead to Osaka imported, then each recorded request and its answer. */
import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { ExecutionNode } from '@keelson/execution'
import { rlpDecodeFirst } from '@keelson/primitives'
import { RpcError, toRpcError } from '@keelson/runtime'
import type { ConformanceCase, ConformanceGroup } from '../group.ts'
import { type JsonRpcRequest, openL1Node, request } from '../l1-node.ts'

const CASES = 174
const BLOCKS = 54

interface Answer {
  readonly result?: unknown
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown }
}

interface Exchange {
  readonly call: JsonRpcRequest
  readonly answer: Answer
}

export const executionApis: ConformanceGroup = {
  name: 'execution-apis',
  undivided: true,
  load(vectors) {
    const directory = join(vectors, 'execution-apis')
    const tests = join(directory, 'tests')
    const read = (file: string) => JSON.parse(readFileSync(join(tests, file), 'utf8'))
    const files = readdirSync(tests, { withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .flatMap((method) => readdirSync(join(tests, method.name)).map((file) => join(method.name, file)))
      .filter((file) => file.endsWith('.io'))
      .sort()
    if (files.length !== CASES) throw new Error(`expected ${CASES} cases, found ${files.length}`)
    const opened = once(() => importChain(tests, read('genesis.json'), read('headfcu.json')))
    return files.map((file): ConformanceCase => {
      const { specOnly, exchanges } = parseExchanges(readFileSync(join(tests, file), 'utf8'))
      return {
        id: file.replace(/\.io$/, ''),
        async run() {
          assert.ok(exchanges.length > 0, 'no exchange in this file')
          const node = await opened()
          for (const { call, answer } of exchanges) compare(await ask(node, call), answer, specOnly)
        },
      }
    })
  },
}

function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | null = null
  return () => {
    made ??= make()
    return made
  }
}

async function importChain(tests: string, genesis: unknown, headFcu: JsonRpcRequest): Promise<ExecutionNode> {
  const node = await openL1Node(genesis)
  const rlp = new Uint8Array(readFileSync(join(tests, 'chain.rlp')))
  let blocks = 0
  for (let at = 0; at < rlp.length; blocks++) {
    const { end } = rlpDecodeFirst(rlp, at)
    const verdict = await node.importExported(rlp.slice(at, end))
    assert.equal(verdict.kind, 'valid', JSON.stringify(verdict))
    at = end
  }
  assert.equal(blocks, BLOCKS)
  const answer = (await request(node.engineMethods, headFcu)) as { readonly payloadStatus: { readonly status: string } }
  assert.equal(answer.payloadStatus.status, 'VALID')
  return node
}

function parseExchanges(text: string): { readonly specOnly: boolean; readonly exchanges: readonly Exchange[] } {
  const lines = text.split('\n')
  const exchanges: Exchange[] = []
  let call: JsonRpcRequest | null = null
  for (const line of lines) {
    if (line.startsWith('>> ')) call = JSON.parse(line.slice(3))
    if (line.startsWith('<< ') && call !== null) exchanges.push({ call, answer: JSON.parse(line.slice(3)) })
  }
  return { specOnly: lines.some((line) => line.startsWith('//') && line.includes('speconly:')), exchanges }
}

async function ask(node: ExecutionNode, call: JsonRpcRequest): Promise<Answer> {
  try {
    return { result: await request({ ...node.engineMethods, ...node.methods }, call) }
  } catch (error) {
    if (error instanceof assert.AssertionError) throw error
    const { number, message, data } = toRpcError(error)
    if (!(error instanceof RpcError) && number === -32603) throw error
    return { error: { code: number, message, data } }
  }
}

/** Numbers and strings exactly; of an error its code and data, not its words. Shape alone where the case says so. */
function compare(got: Answer, expected: Answer, specOnly: boolean): void {
  if (expected.error !== undefined) {
    assert.ok(got.error !== undefined, `expected error ${expected.error.code} ${expected.error.message}, got ${JSON.stringify(got.result)}`)
    if (!specOnly) assert.deepEqual([got.error.code, got.error.data], [expected.error.code, expected.error.data], got.error.message)
    return
  }
  assert.equal(got.error, undefined, `expected a result, got ${JSON.stringify(got.error)}`)
  const normal = [withoutOurs(got.result), withoutOurs(expected.result)] as const
  if (specOnly) assert.deepEqual(shapeOf(normal[0]), shapeOf(normal[1]))
  else assert.deepEqual(normal[0], normal[1])
}

/** Blocks here state a total difficulty, which geth no longer shows. */
function withoutOurs(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutOurs)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value)
      .filter(([key]) => key !== 'totalDifficulty')
      .map(([key, inner]) => [key, withoutOurs(inner)]),
  )
}

/** Members that the specification leaves to the node: what it deletes after a while (eth_capabilities). */
const OPTIONAL_MEMBERS: ReadonlySet<string> = new Set(['deleteStrategy'])

function shapeOf(value: unknown): unknown {
  if (Array.isArray(value)) return value.length === 0 ? [] : [shapeOf(value[0])]
  if (typeof value !== 'object' || value === null) return value === null ? 'null' : typeof value
  return Object.fromEntries(
    Object.keys(value)
      .filter((key) => !OPTIONAL_MEMBERS.has(key))
      .sort()
      .map((key) => [key, shapeOf((value as Record<string, unknown>)[key])]),
  )
}
