import assert from 'node:assert/strict'
import type { ExecutionNode } from '@keelson/execution'
import { RpcError, toRpcError } from '@keelson/runtime'
import { forkEnvironmentCases } from '../fork-environment.ts'
import type { ConformanceGroup } from '../group.ts'
import { type ForkchoiceRequest, importExportedChain, type JsonRpcRequest, openL1Node, request } from '../l1-node.ts'
import type { VectorFolder } from '../vectors/vector-folder.ts'
import { type Answer, compareAnswers } from './compare-answers.ts'

const FOLDER = 'execution-apis/tests/'

interface Exchange {
  readonly call: JsonRpcRequest
  readonly answer: Answer
}

export const executionApis: ConformanceGroup = {
  name: 'execution-apis',
  under: ['execution-apis/'],
  undivided: true,
  load(folder) {
    const files = folder.paths(FOLDER, /\.io$/)
    if (files.length === 0) return []
    for (const file of ['genesis.json', 'headfcu.json', 'chain.rlp']) folder.bytes(`${FOLDER}${file}`)
    const opened = once(() => importChain(folder))
    const cases = folder.casesOf(files, (path) => {
      const { specOnly, exchanges } = parseExchanges(folder.text(path))
      if (exchanges.length === 0) return []
      return [
        {
          id: path.slice(FOLDER.length).replace(/\.io$/, ''),
          async run() {
            const node = await opened()
            for (const { call, answer } of exchanges) compareAnswers(await ask(node, call), answer, specOnly)
          },
        },
      ]
    })
    return [...cases, ...forkEnvironmentCases(folder, FOLDER)]
  },
}

function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | null = null
  return () => {
    made ??= make()
    return made
  }
}

async function importChain(folder: VectorFolder): Promise<ExecutionNode> {
  const node = await openL1Node(folder.json(`${FOLDER}genesis.json`))
  const headFcu = folder.json<ForkchoiceRequest>(`${FOLDER}headfcu.json`)
  const { head } = await importExportedChain(node, folder.bytes(`${FOLDER}chain.rlp`))
  assert.equal(head, headFcu.params[0].headBlockHash, 'the last block of chain.rlp')
  const answer = (await request(node.engineMethods, headFcu)) as { readonly payloadStatus: { readonly status: string } }
  assert.equal(answer.payloadStatus.status, 'VALID')
  return node
}

function parseExchanges(text: string): { readonly specOnly: boolean; readonly exchanges: readonly Exchange[] } {
  const lines = text.split('\n')
  const exchanges: Exchange[] = []
  let call: JsonRpcRequest | null = null
  for (const line of lines) {
    if (line.startsWith('>> ')) {
      if (call !== null) throw new Error('a request without an answer')
      call = JSON.parse(line.slice(3)) as JsonRpcRequest
    } else if (line.startsWith('<< ')) {
      if (call === null) throw new Error('an answer without a request')
      exchanges.push({ call, answer: JSON.parse(line.slice(3)) })
      call = null
    } else if (line !== '' && !line.startsWith('//')) throw new Error(`neither a request, an answer nor a comment: ${line.slice(0, 60)}`)
  }
  if (call !== null) throw new Error('a request without an answer')
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
