import { contractName, useConfig } from '../../data/config.ts'
import type { AddressDetails } from '../../data/index-types.ts'
import { rpcAll } from '../../data/rpc.ts'
import { useIndex } from '../../data/use-index.ts'
import { useQuery } from '../../data/use-query.ts'
import { formatBytes, formatCount } from '../../format/amounts.ts'
import { isAddress } from '../../format/hex.ts'
import { NativeAmount } from '../../parts/amounts/native-amount.tsx'
import { TokenLink } from '../../parts/amounts/token-amount.tsx'
import { Fact, Facts } from '../../parts/facts.tsx'
import { FullHex } from '../../parts/hashes/full-hex.tsx'
import { AddressLink, BlockLink, TransactionLink } from '../../parts/hashes/hash.tsx'
import { Notice } from '../../parts/notice.tsx'
import { Tabs, useTab } from '../../parts/tabs.tsx'
import { Link } from '../../shell/link.tsx'
import type { PageProps } from '../../shell/routes.tsx'
import { useTitle } from '../../shell/use-title.ts'
import { ContractView } from '../contract/contract-view.tsx'
import {
  AddressDeposits,
  AddressTokens,
  AddressTransactions,
  AddressTransfers,
  AddressWithdrawals,
  type OfAddress,
} from './address-lists.tsx'
import '../explorer/explorer.css'

const TABS = [
  { id: 'transactions', name: 'Transactions' },
  { id: 'transfers', name: 'Token transfers' },
  { id: 'tokens', name: 'Tokens held' },
  { id: 'deposits', name: 'Deposits' },
  { id: 'withdrawals', name: 'Withdrawals' },
  { id: 'contract', name: 'Contract' },
]
const LISTS: Readonly<Record<string, (props: OfAddress) => React.JSX.Element>> = {
  transactions: AddressTransactions,
  transfers: AddressTransfers,
  tokens: AddressTokens,
  deposits: AddressDeposits,
  withdrawals: AddressWithdrawals,
}
const REFRESH_MS = 4_000
/** Code of an account that delegates to a contract. EIP-7702 */
const DELEGATION = '0xef0100'

export function AddressPage({ id }: PageProps) {
  const address = id.toLowerCase()
  const config = useConfig()
  const name = contractName(config, address)
  const tab = useTab(TABS)
  useTitle(name ?? `Address ${address.slice(0, 10)}`)
  const account = useQuery(isAddress(address) ? `account ${address}` : null, () => fetchAccount(address), REFRESH_MS)
  const details = useIndex<AddressDetails>(`/addresses/${address}`, null).data
  const List = LISTS[tab] ?? AddressTransactions
  if (account.data === null) return <Notice error={account.error} what="the address" />
  const { balance, nonce, code } = account.data
  const kind = kindOf(code)
  return (
    <>
      <h1>
        {name ?? (kind === 'contract' ? 'Contract' : 'Account')} {name !== null && <span className="badge">contract of this network</span>}
      </h1>
      <section className="card">
        <Facts>
          <Fact name="Address">
            <FullHex hex={address} what="the address" />
          </Fact>
          <Fact name="Balance">
            <NativeAmount wei={balance} places={18} />
          </Fact>
          <Fact name={kind === 'contract' ? 'Nonce' : 'Transactions sent'} hint="The nonce of the account.">
            {formatCount(nonce)}
          </Fact>
          <Fact name="Kind">
            {kind === 'contract' ? (
              `contract with ${formatBytes((code.length - 2) / 2)} of code`
            ) : kind === 'delegated' ? (
              <>
                account that runs the code of <AddressLink address={`0x${code.slice(DELEGATION.length)}`} />
              </>
            ) : (
              'account without code'
            )}
          </Fact>
          {details?.created != null && (
            <Fact name="Created">
              by <AddressLink address={details.created.creator} /> in <TransactionLink hash={details.created.transaction} />, block{' '}
              <BlockLink number={details.created.block} />
            </Fact>
          )}
          {details?.token != null && (
            <Fact name="Token">
              <TokenLink token={details.token} />, {details.token.kind}; see <Link href={`/token/${address}`}>holders and transfers</Link>
            </Fact>
          )}
        </Facts>
      </section>
      <Tabs tabs={kind === 'account' ? TABS.filter(({ id }) => id !== 'contract') : TABS} chosen={tab} what="Parts of the address" />
      {tab === 'contract' && kind !== 'account' ? (
        <ContractView address={address} />
      ) : (
        <section className="card">
          <List address={address} code={code} />
        </section>
      )}
    </>
  )
}

function kindOf(code: string): 'account' | 'contract' | 'delegated' {
  if (code === '0x') return 'account'
  return code.startsWith(DELEGATION) ? 'delegated' : 'contract'
}

async function fetchAccount(address: string) {
  const [balance, nonce, code] = await rpcAll([
    { method: 'eth_getBalance', params: [address, 'latest'] },
    { method: 'eth_getTransactionCount', params: [address, 'latest'] },
    { method: 'eth_getCode', params: [address, 'latest'] },
  ])
  return { balance: BigInt((balance as string | null) ?? 0), nonce: Number(nonce ?? 0), code: (code as string | null) ?? '0x' }
}
