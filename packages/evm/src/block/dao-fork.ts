/** EIP-779 */
import { equalBytes, type Header, hexToBytes, utf8ToBytes } from '@keelson/primitives'
import type { BlockSession } from '../ports.ts'
import { DAO_ACCOUNTS } from './dao-accounts.generated.ts'
import { type HeaderProblem, headerProblem } from './validate-header.ts'

const REFUND_CONTRACT = hexToBytes('0xbf4ed7b27f1d666546e30d74d50d173d20bca754')
const EXTRA_DATA_TEXT = 'dao-hard-fork'
const EXTRA_DATA = utf8ToBytes(EXTRA_DATA_TEXT)
const EXTRA_DATA_BLOCKS = 10

export function moveDaoBalances(session: BlockSession): void {
  for (const hex of DAO_ACCOUNTS) {
    const account = hexToBytes(hex)
    const balanceWei = session.balance(account)
    if (balanceWei === 0n) continue
    session.subBalance(account, balanceWei)
    session.addBalance(REFUND_CONTRACT, balanceWei)
  }
  session.endTx()
}

export function validateDaoExtraData(header: Pick<Header, 'number' | 'extraData'>, forkBlock: number): HeaderProblem | null {
  const since = header.number - forkBlock
  if (since < 0 || since >= EXTRA_DATA_BLOCKS || equalBytes(header.extraData, EXTRA_DATA)) return null
  return headerProblem(header, 'extra-data-dao', EXTRA_DATA_TEXT, `${header.extraData.length} other bytes`)
}
