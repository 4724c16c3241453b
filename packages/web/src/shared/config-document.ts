/** What `/config.json` says: facts that do not change while the server runs. */
export interface ConfigDocument {
  readonly name: string
  readonly version: string
  readonly l2: {
    readonly chainId: number
    readonly blockTimeSec: number
    readonly currency: string
    readonly genesisTimeSec: number
    /** For wallets; null if the operator gave none. */
    readonly publicRpcUrl: string | null
  }
  readonly l1: {
    readonly chainId: number
    readonly batchInbox: string
    /** Explorer of L1, with /tx, /block and /address; null if the operator named none. */
    readonly explorerUrl: string | null
  }
  /** Beginnings of commands that act on this network. */
  readonly commands: Readonly<Record<BridgeCommand, string>>
  readonly contracts: { readonly l1: Readonly<Record<string, string>>; readonly l2: Readonly<Record<string, string>> }
  readonly services: Readonly<Record<ServiceName, boolean>>
  /** Null if the faucet asks for none. */
  readonly captcha: CaptchaDocument | null
}

export const BRIDGE_COMMANDS = ['deposit', 'withdraw', 'status', 'prove', 'finalize'] as const
export type BridgeCommand = (typeof BRIDGE_COMMANDS)[number]

export const CAPTCHA_PROVIDERS = ['turnstile', 'hcaptcha'] as const
export type CaptchaProvider = (typeof CAPTCHA_PROVIDERS)[number]

export interface CaptchaDocument {
  readonly provider: CaptchaProvider
  /** Public key that the provider gave for these pages. */
  readonly siteKey: string
}

export const SERVICE_NAMES = ['index', 'faucet', 'bridge', 'platform'] as const
export type ServiceName = (typeof SERVICE_NAMES)[number]
