import {
  type AccountProvider,
  createCaptcha,
  createFaucet,
  createGithubAccounts,
  createLocalAccounts,
  NO_CAPTCHA,
} from '@keelson/apps/faucet'
import { createLocalSigner } from '@keelson/client'
import { claimDataDirectory, createHealthServer, createReadiness, type OptionValues, openLevelStore } from '@keelson/runtime'
import { defineCommand } from '../../command.ts'
import { createControlServer } from '../../control/control-server.ts'
import { AssemblyError } from '../../errors.ts'
import { closing, openRole, type Role } from '../../role/role.ts'
import { openRollupConfig } from '../../role/rollup-option.ts'
import { FAUCET_LAYOUT_VERSION, FAUCET_ROLE, faucetStoreDirectory } from './faucet-store.ts'
import { faucetServeOptions, networkClaims } from './serve-options.ts'

type Values = OptionValues<typeof faucetServeOptions>

const POLL_INTERVAL_MS = 1_000

export const faucetServeCommand = defineCommand({
  name: 'faucet serve',
  summary: 'pay claims over HTTP',
  usage: '--network NETWORK --l2.rpc URL --data-dir FOLDER [options]',
  options: faucetServeOptions,
  async run(values) {
    const captchaSecret = values.captchaSecret
    if (values.captcha !== 'off' && captchaSecret === null)
      throw new AssemblyError('node/usage', `--captcha.provider ${values.captcha} needs its secret: set KEELSON_CAPTCHA_SECRET`)
    const role = openRole('faucet', values)
    const { clock, log, metrics, random, crypto } = role
    const config = openRollupConfig(values, log, clock)
    const { l2 } = config.genesis
    await claimDataDirectory(values.dataDir, {
      version: FAUCET_LAYOUT_VERSION,
      role: FAUCET_ROLE,
      chainId: config.l2ChainId,
      genesisHash: l2.hash,
    })
    const store = await openLevelStore({ directory: faucetStoreDirectory(values.dataDir) })
    const publicUrl = new URL(values.publicUrl ?? `http://${urlHost(values.httpHost)}:${values.httpPort}`).origin
    const faucet = await createFaucet(
      {
        ...values,
        host: values.httpHost,
        port: values.httpPort,
        option: '--http.port',
        publicUrl,
        chainId: config.l2ChainId,
        genesis: l2,
        claimsPerSubscriber: values.claimsPerIp,
        claimsPerNetwork: networkClaims(values),
        pollIntervalMs: POLL_INTERVAL_MS,
      },
      {
        store,
        rpc: role.rpc(values.l2Rpc, { timeoutMs: 5_000 }),
        signer: createLocalSigner(values.privateKey, crypto),
        captcha:
          values.captcha === 'off' || captchaSecret === null
            ? NO_CAPTCHA
            : createCaptcha({ provider: values.captcha, secret: captchaSecret, url: values.captchaUrl }, log),
        accounts: openAccounts(values, publicUrl, role),
        crypto,
        clock,
        random,
        log,
        metrics,
      },
    )
    const readiness = createReadiness(
      [
        {
          name: 'store',
          check: () => {
            const failure = store.writeFailure()
            return failure === null ? { ok: true } : { ok: false, reason: failure.message }
          },
        },
        ...faucet.checks,
      ],
      { clock, log, metrics },
    )
    const health = { host: values.metricsHost, port: values.metricsPort, option: '--metrics.port' }
    return role.run(
      [
        createHealthServer(health, { metrics, readiness, clock, log }),
        closing('store', () => store.close()),
        createControlServer({ dataDir: values.dataDir, log, run: ({ task, params }) => faucet.task(task, params) }),
        faucet,
      ],
      () => log.info('the faucet is open', { url: faucet.server.url, account: faucet.manager.address }),
    )
  },
})

function openAccounts(values: Values, publicUrl: string, { clock, log }: Role): AccountProvider | null {
  if (values.accounts === 'off') return null
  if (values.accounts === 'local') {
    log.warn('any name signs in as a local account: fit only for a network whose tokens are worth nothing')
    return createLocalAccounts(publicUrl)
  }
  const { githubClientId: clientId, githubClientSecret: clientSecret } = values
  if (clientId === null || clientSecret === null)
    throw new AssemblyError(
      'node/usage',
      '--accounts.provider github needs --github.client-id, and its secret in KEELSON_GITHUB_CLIENT_SECRET',
    )
  const { githubMinAgeMs: minAccountAgeMs, githubUrl: url, githubApiUrl: apiUrl } = values
  return createGithubAccounts({ clientId, clientSecret, minAccountAgeMs, url, apiUrl }, { clock, log })
}

function urlHost(host: string): string {
  return host.includes(':') ? `[${host}]` : host
}
