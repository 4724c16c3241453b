import {
  type AccountProvider,
  createCaptcha,
  createFaucet,
  createGithubAccounts,
  createLocalAccounts,
  type Entrance,
  type Faucet,
  type FaucetStore,
  NO_CAPTCHA,
} from '@keelson/apps/faucet'
import type { RollupConfig } from '@keelson/chainspec'
import { createLocalSigner } from '@keelson/client'
import type { OptionValues } from '@keelson/runtime'
import { AssemblyError } from '../../errors.ts'
import type { Role } from '../../role/role.ts'
import { type faucetServeOptions, networkClaims } from './serve-options.ts'

type Values = OptionValues<typeof faucetServeOptions>

const POLL_INTERVAL_MS = 1_000

/** Throws AssemblyError `node/usage`. */
export function faucetOpener(values: Values, role: Role, { l2ChainId, genesis }: Pick<RollupConfig, 'l2ChainId' | 'genesis'>) {
  const { captchaSecret } = values
  if (values.captcha !== 'off' && captchaSecret === null)
    throw new AssemblyError('node/usage', `--captcha.provider ${values.captcha} needs its secret: set KEELSON_CAPTCHA_SECRET`)
  const { clock, log, metrics, random, crypto } = role
  const publicUrl = new URL(values.publicUrl ?? listenUrl(values)).origin
  const options = {
    ...values,
    ...listenOptions(values),
    publicUrl,
    chainId: l2ChainId,
    genesis: genesis.l2,
    claimsPerSubscriber: values.claimsPerIp,
    claimsPerNetwork: networkClaims(values),
    pollIntervalMs: POLL_INTERVAL_MS,
  }
  const rpc = role.rpc(values.l2Rpc, { timeoutMs: 5_000 })
  const signer = createLocalSigner(values.privateKey, crypto)
  const openCaptcha = () =>
    values.captcha === 'off' || captchaSecret === null
      ? NO_CAPTCHA
      : createCaptcha({ provider: values.captcha, secret: captchaSecret, url: values.captchaUrl }, log)
  const openAccounts = accountsOpener(values, publicUrl, role)
  return (store: FaucetStore, entrance?: Entrance): Promise<Faucet> =>
    createFaucet(options, {
      store,
      ...(entrance === undefined ? {} : { entrance }),
      rpc,
      signer,
      captcha: openCaptcha(),
      accounts: openAccounts(),
      crypto,
      clock,
      random,
      log,
      metrics,
    })
}

export function listenUrl({ httpHost, httpPort }: Pick<Values, 'httpHost' | 'httpPort'>): string {
  return `http://${httpHost.includes(':') ? `[${httpHost}]` : httpHost}:${httpPort}`
}

export function listenOptions({
  httpHost,
  httpPort,
  virtualHosts,
  trustedProxies,
}: Pick<Values, 'httpHost' | 'httpPort' | 'virtualHosts' | 'trustedProxies'>) {
  return { host: httpHost, port: httpPort, option: '--http.port', virtualHosts, trustedProxies }
}

function accountsOpener(values: Values, publicUrl: string, { clock, log }: Role): () => AccountProvider | null {
  if (values.accounts === 'off') return () => null
  if (values.accounts === 'local') {
    log.warn('any name signs in as a local account: fit only for a network whose tokens are worth nothing')
    return () => createLocalAccounts(publicUrl)
  }
  const { githubClientId: clientId, githubClientSecret: clientSecret } = values
  if (clientId === null || clientSecret === null)
    throw new AssemblyError(
      'node/usage',
      '--accounts.provider github needs --github.client-id, and its secret in KEELSON_GITHUB_CLIENT_SECRET',
    )
  const { githubMinAgeMs: minAccountAgeMs, githubUrl: url, githubApiUrl: apiUrl } = values
  return () => createGithubAccounts({ clientId, clientSecret, minAccountAgeMs, url, apiUrl }, { clock, log })
}
