import { useCallback, useEffect, useRef, useState } from 'react'
import { useWalletAction, type WalletAction } from './use-wallet-action.ts'
import { chainOf, connectedAddress, findWallet, type Wallet, walletAddress } from './wallet.ts'

export interface WalletState {
  /** Null if the browser has none. */
  readonly wallet: Wallet | null
  /** Null before the owner has connected it. */
  readonly account: string | null
  readonly chainId: number | null
  readonly connecting: WalletAction
  connect(): void
}

/** EIP-1193. Some wallets have no events, so the state is also read when the reader comes back to the page. */
const CHANGES = ['accountsChanged', 'chainChanged', 'connect', 'disconnect']

export function useWallet(): WalletState {
  const [wallet] = useState(findWallet)
  const [state, setState] = useState<Pick<WalletState, 'account' | 'chainId'>>({ account: null, chainId: null })
  const connecting = useWalletAction()
  const connections = useRef(0)
  const read = useCallback(async () => {
    if (wallet === null) return
    const before = connections.current
    const [account, chainId] = await Promise.all([connectedAddress(wallet), chainOf(wallet).catch(() => null)])
    // What the wallet said before its owner connected it is outdated.
    if (before === connections.current) setState({ account, chainId })
  }, [wallet])
  useEffect(() => {
    const changed = () => void read()
    changed()
    for (const event of CHANGES) wallet?.on?.(event, changed)
    addEventListener('focus', changed)
    return () => {
      for (const event of CHANGES) wallet?.removeListener?.(event, changed)
      removeEventListener('focus', changed)
    }
  }, [wallet, read])
  const connect = () =>
    connecting.run(async () => {
      if (wallet === null) return
      const account = await walletAddress(wallet)
      const chainId = await chainOf(wallet).catch(() => null)
      connections.current++
      setState({ account, chainId })
    })
  return { wallet, ...state, connecting, connect }
}
