import assert from 'node:assert/strict'
import { bytesToHex, EMPTY_CODE_HASH, hexToBytes, keccak256Hash, parseHash } from '@keelson/primitives'
import { createWitnessState } from '@keelson/state'
import type { ConformanceGroup } from '../group.ts'

interface ProofAnswer {
  readonly address: string
  readonly balance: string
  readonly nonce: string
  readonly codeHash: string
  readonly storageHash: string
  readonly accountProof: readonly string[]
  readonly storageProof: readonly { readonly key: string; readonly value: string; readonly proof: readonly string[] }[]
}

const FOLDER = 'op-misc/'

function findAnswer(value: unknown): ProofAnswer | null {
  if (typeof value !== 'object' || value === null) return null
  if ('accountProof' in value) return value as ProofAnswer
  return Object.values(value).reduce<ProofAnswer | null>((found, inner) => found ?? findAnswer(inner), null)
}

const slot = (key: string) => hexToBytes(`0x${key.replace(/^0x/, '').padStart(64, '0')}`)

function check(answer: ProofAnswer): void {
  const nodes = [...answer.accountProof, ...answer.storageProof.flatMap(({ proof }) => proof)].map((node) => hexToBytes(node))
  const root = keccak256Hash(nodes[0] ?? new Uint8Array(0))
  const { view } = createWitnessState(new Map(nodes.map((node) => [keccak256Hash(node) as string, node])), hexToBytes(root))
  const address = hexToBytes(answer.address)
  const account = view.account(address)
  assert.ok(account !== null, 'the nodes prove that there is no such account')
  assert.equal(account.balanceWei, BigInt(answer.balance))
  assert.equal(account.nonce, BigInt(answer.nonce))
  assert.equal(account.codeHash === null ? EMPTY_CODE_HASH : bytesToHex(account.codeHash), parseHash(answer.codeHash, 'codeHash'))
  for (const { key, value } of answer.storageProof) assert.deepEqual(view.storage(address, slot(key)), slot(value), `slot ${key}`)
}

function checkDamaged(answer: ProofAnswer): void {
  for (const [i, node] of answer.accountProof.entries()) {
    if (i === 0) continue
    const changed = `${node.slice(0, -2)}${node.endsWith('00') ? '01' : '00'}`
    const accountProof = answer.accountProof.map((each, at) => (at === i ? changed : each))
    assert.throws(() => check({ ...answer, accountProof }), `node ${i}`)
  }
}

export const opProofs: ConformanceGroup = {
  name: 'op-proofs',
  under: [FOLDER],
  load: (folder) =>
    folder.casesOf(folder.paths(FOLDER, /^[^/]+\/[^/]*proof[^/]*\.json$/), (path) => {
      const answer = findAnswer(folder.json(path))
      assert.ok(answer !== null, 'expected an answer with an accountProof')
      const id = path.slice(FOLDER.length)
      return [
        { id, run: () => check(answer) },
        { id: `${id}/damaged`, run: () => checkDamaged(answer) },
      ]
    }),
}
