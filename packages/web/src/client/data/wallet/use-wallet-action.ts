import { useRef, useState } from 'react'
import { walletWords } from './wallet.ts'

export interface WalletAction {
  readonly isAsking: boolean
  readonly trouble: string | null
  run(act: () => Promise<void>): void
  /** A wallet may never answer. */
  stopWaiting(): void
}

export function useWalletAction(): WalletAction {
  const [state, setState] = useState<Pick<WalletAction, 'isAsking' | 'trouble'>>({ isAsking: false, trouble: null })
  const attempt = useRef(0)
  const run = async (act: () => Promise<void>) => {
    const mine = ++attempt.current
    const settle = (trouble: string | null) => mine === attempt.current && setState({ isAsking: false, trouble })
    setState({ isAsking: true, trouble: null })
    try {
      await act()
      settle(null)
    } catch (error) {
      settle(walletWords(error))
    }
  }
  return {
    ...state,
    run: (act) => void run(act),
    stopWaiting() {
      attempt.current++
      setState({ isAsking: false, trouble: 'The wallet may still send it: look there before you try again.' })
    },
  }
}
