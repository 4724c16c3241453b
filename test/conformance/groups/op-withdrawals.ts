/** A receipt of a real withdrawal: our parser reads it, and the withdrawal in it has the hash its log states. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { findWithdrawal, MESSAGE_PASSED_TOPIC } from '@keelson/contracts'
import { parseReceiptJson } from '@keelson/primitives'
import type { ConformanceCase, ConformanceGroup } from '../group.ts'

export const opWithdrawals: ConformanceGroup = {
  name: 'op-withdrawals',
  load(vectors): ConformanceCase[] {
    const file = join(vectors, 'op-misc', 'bridge-withdrawal-receipt.json')
    return [
      {
        id: 'bridge-withdrawal-receipt.json',
        run() {
          const { receipt } = JSON.parse(readFileSync(file, 'utf8')) as { receipt: object }
          const { logs } = parseReceiptJson(receipt)
          const announced = logs.filter(({ topics }) => topics[0] === MESSAGE_PASSED_TOPIC)
          assert.equal(announced.length, 1)
          assert.notEqual(findWithdrawal(announced[0] as (typeof logs)[number]), null)
        },
      },
    ]
  },
}
