import { useState } from 'react'
import { useConfig } from '../../data/config.ts'
import { useWallet } from '../../data/wallet/use-wallet.ts'
import { isAddress, isHash, shortHex } from '../../format/hex.ts'
import { ActionButton } from '../../parts/action-button.tsx'
import { Card } from '../../parts/card.tsx'
import { Tabs, useTab } from '../../parts/tabs.tsx'
import { goTo, useSearch } from '../../shell/location.ts'
import { useTitle } from '../../shell/use-title.ts'
import { DepositCard } from './deposit-card.tsx'
import { HowItWorks } from './how-it-works.tsx'
import { TransferForm } from './transfer-form.tsx'
import { TransfersOfAddress } from './transfers-of-address.tsx'
import { WithdrawalCard } from './withdrawal-card.tsx'
import '../explorer/explorer.css'
import './bridge.css'

const TABS = [
  { id: 'deposit', name: 'Deposit' },
  { id: 'withdraw', name: 'Withdraw' },
] as const

/** The chosen transfer is part of the page's address, so that it can be opened later. */
export function BridgePage() {
  useTitle('Bridge')
  const { contracts, l1, l2, services } = useConfig()
  const { wallet, account, chainId, connecting, connect } = useWallet()
  const [typed, setTyped] = useState('')
  const tab = useTab(TABS) === 'withdraw' ? 'withdraw' : 'deposit'
  const params = new URLSearchParams(useSearch())
  const deposit = params.get('deposit')
  const withdrawal = params.get('withdrawal')
  const address = isAddress(typed.trim()) ? typed.trim() : account
  if (!services.bridge)
    return (
      <>
        <h1>Bridge</h1>
        <p className="card empty">This network has no bridge service.</p>
      </>
    )
  return (
    <>
      <h1>Bridge</h1>
      {deposit !== null && isHash(deposit) && <DepositCard hash={deposit.toLowerCase()} />}
      {withdrawal !== null && isHash(withdrawal) && <WithdrawalCard hash={withdrawal.toLowerCase()} wallet={wallet} />}
      <div className="columns">
        <Card
          title={tab === 'deposit' ? `From L1 to L2` : `From L2 to L1`}
          aside={
            <span className="muted">
              {account === null ? 'no wallet connected' : `as ${shortHex(account)}`}{' '}
              {account !== null && (
                <button type="button" className="copy-button" onClick={connect}>
                  change
                </button>
              )}
            </span>
          }
          className="form"
        >
          <Tabs tabs={TABS} chosen={tab} what="Directions" />
          {account !== null && connecting.trouble !== null && <p className="notice-line">{connecting.trouble}</p>}
          {wallet === null && (
            <p className="hint">This browser has no wallet. The command does the same; it needs the key in KEELSON_PRIVATE_KEY.</p>
          )}
          {tab === 'withdraw' && contracts.l1.L2OutputOracle === undefined ? (
            <p className="notice-line">This network proves withdrawals by dispute games, which this page cannot do: use its own tools.</p>
          ) : wallet !== null && account === null ? (
            <ActionButton action={connecting} name="Connect a wallet" onClick={connect} />
          ) : (
            <TransferForm
              key={tab}
              direction={tab}
              wallet={wallet}
              account={account}
              chainId={chainId}
              onSent={(hash) => goTo(tab === 'deposit' ? `/bridge?deposit=${hash}` : `/bridge?tab=withdraw&withdrawal=${hash}`)}
            />
          )}
        </Card>
        <HowItWorks direction={tab} l1ChainId={l1.chainId} l2ChainId={l2.chainId} />
      </div>
      <section className="card form">
        <label htmlFor="bridge-address">Transfers of an address</label>
        <input
          id="bridge-address"
          className="text-input hex"
          value={typed}
          onChange={(event) => setTyped(event.target.value)}
          placeholder={account ?? '0x…'}
          autoComplete="off"
          spellCheck={false}
          maxLength={64}
        />
      </section>
      {address !== null && <TransfersOfAddress address={address.toLowerCase()} />}
    </>
  )
}
