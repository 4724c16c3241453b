import assert from 'node:assert/strict'
import type { ExecutionNode } from '@keelson/execution'
import { forkEnvironmentCases } from '../fork-environment.ts'
import type { ConformanceCase, ConformanceGroup } from '../group.ts'
import { type JsonRpcRequest, openL1Node, request } from '../l1-node.ts'
import type { VectorFolder } from '../vectors/vector-folder.ts'
import { companionCases } from './engine-chain-companions.ts'

const FOLDER = 'engine-chain/'

interface Dump {
  readonly root: string
  readonly accounts: Readonly<
    Record<
      string,
      { readonly balance: string; readonly nonce: number; readonly root: string; readonly codeHash: string; readonly address?: string }
    >
  >
}

async function replay(folder: VectorFolder): Promise<ExecutionNode> {
  const node = await openL1Node(folder.json(`${FOLDER}genesis.json`))
  const payloads = folder.json<JsonRpcRequest[]>(`${FOLDER}newpayload.json`).map(withHexRequests)
  assert.ok(payloads.length > 0, 'newpayload.json has no requests')
  for (const payload of payloads) {
    const status = (await request(node.engineMethods, payload)) as { readonly status: string; readonly validationError?: string }
    assert.equal(status.status, 'VALID', `${payload.id}: ${status.validationError}`)
  }
  const answer = (await request(node.engineMethods, folder.json(`${FOLDER}headfcu.json`))) as {
    readonly payloadStatus: { readonly status: string }
  }
  assert.equal(answer.payloadStatus.status, 'VALID')
  return node
}

export const engineChain: ConformanceGroup = {
  name: 'engine-chain',
  under: [FOLDER],
  undivided: true,
  load(folder) {
    if (folder.paths(FOLDER).length === 0) return []
    const dump = folder.json<Dump>(`${FOLDER}headstate.json`)
    const headBlock = folder.json<{ readonly hash: string }>(`${FOLDER}headblock.json`)
    for (const file of ['genesis.json', 'newpayload.json', 'headfcu.json']) folder.json(`${FOLDER}${file}`)
    let replayed: Promise<ExecutionNode> | null = null
    const chain = () => {
      replayed ??= replay(folder)
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
    return [...cases, ...companionCases(folder, chain, headBlock.hash), ...forkEnvironmentCases(folder, FOLDER)]
  },
}

/** The files encode the requests of V4 in base64. */
function withHexRequests(payload: JsonRpcRequest): JsonRpcRequest {
  const [block, blobHashes, root, requests] = payload.params ?? []
  if (requests === undefined) return payload
  const hex = (requests as string[]).map((base64) => `0x${Buffer.from(base64, 'base64').toString('hex')}`)
  return { ...payload, params: [block, blobHashes, root, hex] }
}
