import assert from 'node:assert/strict'
import { createForkSchedule, FORKS, forksAtGenesis, type LaterFork } from '@keelson/chainspec'
import {
  bytesToHex,
  bytesToNumber,
  type DepositTransaction,
  decodeTransaction,
  encodeDeposit,
  hexToBytes,
  isDeposit,
  keccak256Hash,
  l2Time,
  upgradeSourceHash,
} from '@keelson/primitives'
import type { ConformanceCase, ConformanceGroup } from '../group.ts'

interface UpgradeVector {
  readonly fork: string
  readonly rawTxs: readonly string[]
  readonly intents?: readonly string[]
  readonly hashesCheckedByOriginTests: Readonly<Record<string, string>>
  readonly deploymentBytecode?: Readonly<Record<string, string>>
}

const FOLDER = 'op-derivation/upgrade-txs/'
const ACTIVATION_SEC = 1000

function upgradeTransactions(fork: LaterFork): DepositTransaction[] {
  const schedule = createForkSchedule({ times: { ...forksAtGenesis(fork), [fork]: ACTIVATION_SEC } })
  const { upgradeTransactions: raw } = schedule.transition(l2Time(ACTIVATION_SEC - 2), l2Time(ACTIVATION_SEC))
  return raw.map((bytes) => {
    const tx = decodeTransaction(bytes)
    assert.ok(isDeposit(tx))
    return tx
  })
}

function deployedCode(initCode: Uint8Array): Uint8Array {
  const lengthAt = 19
  assert.equal(initCode[lengthAt - 1], 0x61, 'expected PUSH2 of the code length')
  const code = initCode.subarray(32)
  assert.equal(bytesToNumber(initCode.subarray(lengthAt, lengthAt + 2)), code.length)
  return code
}

function isFork(name: string): name is LaterFork {
  return FORKS.some((fork) => fork === name)
}

function codecCases({ fork, rawTxs, intents, hashesCheckedByOriginTests }: UpgradeVector): ConformanceCase[] {
  const sources = [...Object.values(hashesCheckedByOriginTests), ...(intents ?? []).map((intent) => bytesToHex(upgradeSourceHash(intent)))]
  return rawTxs.map((raw, i) => ({
    id: `${fork}/raw/${i}`,
    run() {
      const tx = decodeTransaction(hexToBytes(raw))
      assert.ok(isDeposit(tx))
      assert.equal(bytesToHex(encodeDeposit(tx).raw), raw)
      assert.ok(sources.includes(bytesToHex(tx.sourceHash)), `${bytesToHex(tx.sourceHash)} is none of the stated source hashes`)
    },
  }))
}

function casesOf(vector: UpgradeVector): ConformanceCase[] {
  const { fork } = vector
  if (!isFork(fork)) return codecCases(vector)
  const hashes = Object.entries(vector.hashesCheckedByOriginTests)
  const count = vector.rawTxs.length > 0 ? vector.rawTxs.length : hashes.filter(([name]) => name.includes('_source')).length
  const cases: ConformanceCase[] = [
    {
      id: `${fork}/count`,
      run: () => assert.equal(upgradeTransactions(fork).length, count),
    },
  ]
  vector.rawTxs.forEach((raw, i) => {
    cases.push({ id: `${fork}/raw/${i}`, run: () => assert.equal(bytesToHex(upgradeTransactions(fork)[i]?.raw ?? new Uint8Array()), raw) })
  })
  vector.intents?.forEach((intent, i) => {
    cases.push({
      id: `${fork}/source-hash/${i}`,
      run: () => assert.deepEqual(upgradeTransactions(fork)[i]?.sourceHash, upgradeSourceHash(intent)),
    })
  })
  for (const [name, hash] of hashes) {
    const ofCode = name.endsWith('_code_hash')
    cases.push({
      id: `${fork}/${name}`,
      run() {
        const ours = upgradeTransactions(fork)
          .filter((tx) => !ofCode || (tx.to === null && tx.data.length > 100))
          .map((tx) => (ofCode ? keccak256Hash(deployedCode(tx.data)) : bytesToHex(tx.sourceHash)))
        assert.ok((ours as string[]).includes(hash), `${hash} is none of ${ours.join(', ')}`)
      },
    })
  }
  for (const [name, code] of Object.entries(vector.deploymentBytecode ?? {})) {
    cases.push({
      id: `${fork}/${name}`,
      run: () => assert.ok(upgradeTransactions(fork).some((tx) => bytesToHex(tx.data) === code)),
    })
  }
  return cases
}

export const opUpgradeTxs: ConformanceGroup = {
  name: 'op-upgrade-txs',
  under: [FOLDER],
  load: (folder) => folder.casesOf(folder.paths(FOLDER, /\.json$/), (path) => casesOf(folder.json<UpgradeVector>(path))),
}
