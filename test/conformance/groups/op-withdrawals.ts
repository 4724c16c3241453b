import assert from 'node:assert/strict'
import { findWithdrawal, MESSAGE_PASSED_TOPIC } from '@keelson/contracts'
import { parseReceiptJson } from '@keelson/primitives'
import type { ConformanceGroup } from '../group.ts'

const FOLDER = 'op-misc/'

function check(receipt: object): void {
  const { logs } = parseReceiptJson(receipt)
  const announced = logs.filter(({ topics }) => topics[0] === MESSAGE_PASSED_TOPIC)
  assert.ok(announced.length > 0, 'no withdrawal in this receipt')
  for (const log of announced) assert.notEqual(findWithdrawal(log), null)
}

export const opWithdrawals: ConformanceGroup = {
  name: 'op-withdrawals',
  under: [FOLDER],
  load: (folder) =>
    folder.casesOf(folder.paths(FOLDER, /^[^/]+\/[^/]*receipt[^/]*\.json$/), (path) => {
      const { receipt } = folder.json<{ receipt: object }>(path)
      return [{ id: path.slice(FOLDER.length), run: () => check(receipt) }]
    }),
}
