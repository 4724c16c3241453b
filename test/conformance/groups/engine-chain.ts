/** 600 L1 blocks through engine_newPayload, Shanghai to Prague: each VALID, then the head and the whole state as geth has them. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { ExecutionNode } from '@keelson/execution'
import type { ConformanceCase, ConformanceGroup } from '../group.ts'
import { type JsonRpcRequest, openL1Node, request } from '../l1-node.ts'

const REQUESTS = 601

interface Dump {
  readonly root: string
  readonly accounts: Readonly<
    Record<
      string,
      { readonly balance: string; readonly nonce: number; readonly root: string; readonly codeHash: string; readonly address?: string }
    >
  >
}

export const engineChain: ConformanceGroup = {
  name: 'engine-chain',
  undivided: true,
  load(vectors) {
    const directory = join(vectors, 'engine-chain')
    const read = (file: string) => JSON.parse(readFileSync(join(directory, file), 'utf8'))
    const payloads = (read('newpayload.json') as JsonRpcRequest[]).map(withHexRequests)
    const headFcu = read('headfcu.json') as JsonRpcRequest
    const dump = read('headstate.json') as Dump
    const headBlock = read('headblock.json') as { readonly hash: string }
    if (payloads.length !== REQUESTS) throw new Error(`newpayload.json: expected ${REQUESTS} requests, got ${payloads.length}`)
    let replayed: Promise<ExecutionNode> | null = null
    const replay = async () => {
      const node = await openL1Node(read('genesis.json'))
      for (const payload of payloads) {
        const status = (await request(node.engineMethods, payload)) as { readonly status: string; readonly validationError?: string }
        assert.equal(status.status, 'VALID', `${payload.id}: ${status.validationError}`)
      }
      const answer = (await request(node.engineMethods, headFcu)) as { readonly payloadStatus: { readonly status: string } }
      assert.equal(answer.payloadStatus.status, 'VALID')
      return node
    }
    const chain = () => {
      replayed ??= replay()
      return replayed
    }
    const cases: ConformanceCase[] = [
      {
        id: 'every payload is valid',
        run: async () => {
          await chain()
        },
      },
      {
        id: 'the head',
        async run() {
          const node = await chain()
          const head = (await request(node.methods, { id: 1, method: 'eth_getBlockByNumber', params: ['latest', false] })) as {
            hash: string
            stateRoot: string
          }
          assert.equal(head.hash, headBlock.hash)
          assert.equal(head.stateRoot.slice(2), dump.root.replace(/^0x/, ''))
        },
      },
      {
        id: 'accounts of the state dump',
        async run() {
          const node = await chain()
          const entries = Object.entries(dump.accounts)
          assert.ok(entries.length > 0)
          for (const [key, account] of entries) {
            const address = account.address ?? key
            const ask = (method: string) => request(node.methods, { id: 1, method, params: [address, 'latest'] })
            assert.equal(BigInt((await ask('eth_getBalance')) as string), BigInt(account.balance), `balance of ${address}`)
            assert.equal(Number(await ask('eth_getTransactionCount')), account.nonce, `nonce of ${address}`)
            const proof = (await request(node.methods, { id: 1, method: 'eth_getProof', params: [address, [], 'latest'] })) as {
              storageHash: string
              codeHash: string
            }
            assert.equal(proof.storageHash, account.root, `storage root of ${address}`)
            assert.equal(proof.codeHash, account.codeHash, `code hash of ${address}`)
          }
        },
      },
    ]
    return cases
  },
}

/** The file's writer left the requests of V4 as base64; on the wire they are hex. */
function withHexRequests(payload: JsonRpcRequest): JsonRpcRequest {
  const [block, blobHashes, root, requests] = payload.params ?? []
  if (requests === undefined) return payload
  const hex = (requests as string[]).map((base64) => `0x${Buffer.from(base64, 'base64').toString('hex')}`)
  return { ...payload, params: [block, blobHashes, root, hex] }
}
