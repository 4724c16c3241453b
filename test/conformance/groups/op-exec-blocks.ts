import assert from 'node:assert/strict'
import { createPureCrypto, hashHeader, parseUncheckedHeaderJson, type Transaction } from '@keelson/primitives'
import { pairingCurves } from '../../support/pairing-curves.ts'
import { createTestEngine } from '../../support/test-engine.ts'
import type { ConformanceGroup } from '../group.ts'
import { executeOpBlock, type OpBlockVector } from '../op-block.ts'
import { type ExpectedReceipt, executedReceipt, statedReceipt } from './op-exec-receipts.ts'

export interface JudgedBlockVector extends OpBlockVector {
  readonly expectedBlockHash: string
  readonly derivedExpected: { readonly header: unknown; readonly receipts: readonly ExpectedReceipt[] }
}

const FOLDER = 'op-exec-blocks/'

async function run(vector: JudgedBlockVector): Promise<void> {
  const crypto = createPureCrypto()
  const { header, transactions, result } = await executeOpBlock(vector, createTestEngine({ crypto, curves: pairingCurves }), crypto)
  assert.deepEqual(
    result.transactions.map((done, i) => executedReceipt(transactions[i] as Transaction, done)),
    vector.derivedExpected.receipts.map(statedReceipt),
  )
  assert.deepEqual(header, parseUncheckedHeaderJson(vector.derivedExpected.header))
  assert.equal(hashHeader(header), vector.expectedBlockHash, `state root ${header.stateRoot}`)
}

export const opExecBlocks: ConformanceGroup = {
  name: 'op-exec-blocks',
  under: [FOLDER],
  load: (folder) =>
    folder.casesOf(folder.paths(FOLDER, /\.json(\.gz)?$/), (path) => [
      { id: path.slice(FOLDER.length).replace(/\.json(\.gz)?$/, ''), run: () => run(folder.json<JudgedBlockVector>(path)) },
    ]),
}
