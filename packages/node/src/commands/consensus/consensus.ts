import { join } from 'node:path'
import { printSchedule } from '@keelson/chainspec'
import { createBeaconClient, createContractReader, createEngineClient, createL2BlockSource, openBlobStore } from '@keelson/client'
import {
  createBlockValidator,
  createConsensusNode,
  createDegradedStates,
  createLibp2pGossip,
  DEFAULT_CONSENSUS_OPTIONS,
  loadNodeKey,
} from '@keelson/consensus'
import { readL1ChainConfig, readPublicNetwork } from '@keelson/devnet/network-files'
import { l2Time } from '@keelson/primitives'
import {
  claimDataDirectory,
  createHealthServer,
  createJwt,
  createReadiness,
  createRpcServer,
  createSystemClock,
  loadJwtSecret,
  openLevelStore,
  option,
  optionParsers as parse,
} from '@keelson/runtime'
import { defineCommand } from '../../command.ts'
import { createViolationWriter } from '../../consensus/violation-writer.ts'
import { decompress } from '../../crypto/compression.ts'
import { createKzg } from '../../crypto/kzg.ts'
import { l1Options, openL1 } from '../../l1/l1-connection.ts'
import { createUnsafeBlockSigner } from '../../l1/unsafe-block-signer.ts'
import { createDiskCheck } from '../../role/disk-check.ts'
import { registerForkCountdown } from '../../role/fork-countdown.ts'
import { closing, openRole, roleOptions } from '../../role/role.ts'
import { openRollupConfig, rollupOptions } from '../../role/rollup-option.ts'
import { openFrontDoor } from '../../role/rpc-options.ts'
import { VERSION } from '../../version.ts'
import { assertOptionsFit } from './assert-options-fit.ts'
import { engineVersionsFor } from './engine-versions.ts'
import { p2pOptions, p2pSettings } from './p2p-options.ts'
import { rollupRpcMethods, rollupRpcOptions, rollupRpcServer } from './rollup-rpc-options.ts'
import { missingSignerWarning, openSequencing, roleOption, sequencerOptions } from './sequencer-options.ts'
import { stakingOptions } from './staking-options.ts'
import { createCannotSync, syncOptions } from './sync-options.ts'

const DATA_LAYOUT_VERSION = 1

const options = {
  ...rollupOptions,
  dataDir: option({ key: 'dataDir', parse: parse.path, description: 'Folder for safe heads and the network key.' }),
  role: roleOption,
  ...l1Options,
  l1Beacon: option({ key: 'l1.beacon', parse: parse.list(parse.httpUrl), description: 'Beacon APIs for blobs, the first asked first.' }),
  l1PollIntervalMs: option({
    key: 'l1.pollIntervalMs',
    parse: parse.integer(50, 60_000),
    default: 1000,
    description: 'Milliseconds between two looks at the L1 head; a WebSocket URL tells of heads by itself.',
  }),
  l1BlobCacheSize: option({
    key: 'l1.blobCacheSize',
    parse: parse.byteSize,
    default: 2 * 1024 ** 3,
    description: 'Most that blobs kept on disk may take; 0 keeps none.',
  }),
  l1BlobCacheAge: option({
    key: 'l1.blobCacheAge',
    parse: parse.duration(60_000, 10 * 365 * 86_400_000),
    default: 30 * 86_400_000,
    description: 'How long blobs are kept on disk.',
  }),
  engineUrl: option({
    key: 'engine.url',
    parse: parse.httpUrl,
    default: 'http://127.0.0.1:8551',
    description: 'Engine API of the execution client.',
  }),
  jwtSecret: option({
    key: 'jwtSecret',
    parse: parse.path,
    description: 'File with the secret shared with the execution client; made when missing.',
  }),
  ...rollupRpcOptions,
  metricsPort: option({ key: 'metrics.port', parse: parse.port, default: 7300, description: 'Prometheus metrics and health.' }),
  ...p2pOptions,
  ...sequencerOptions,
  verifierConfirmations: option({
    key: 'verifier.l1Confirmations',
    alias: 'verifier.l1-confs',
    parse: parse.integer(0, 1000),
    default: 0,
    description: 'L1 blocks derivation stays behind the L1 head.',
  }),
  allowFinalizedReorg: option({
    key: 'allowFinalizedReorg',
    parse: parse.toggle,
    default: false,
    description: 'Follow an L1 that reorganised below finalized, as a development L1 that was killed does.',
  }),
  ...syncOptions,
  ...stakingOptions,
  ...roleOptions,
} as const

export const consensusCommand = defineCommand({
  name: 'consensus',
  summary: 'the consensus client: derivation from L1, sequencer, gossip, rollup RPC',
  usage: '--data-dir FOLDER --network NETWORK --l1.rpc URL --l1.beacon URL --jwt-secret FILE [options]',
  options,
  async run(values) {
    await assertOptionsFit(values)
    const role = openRole('consensus', values)
    const { access, services: accessServices } = await openFrontDoor(values, role)
    const { clock, random, log, metrics, crypto } = role
    const config = openRollupConfig(values, log, clock)
    registerForkCountdown(metrics, config, clock)
    const l1Chain = readL1ChainConfig(values.network)
    for (const line of printSchedule(config, clock.nowMs() / 1000).split('\n')) log.info(`fork ${line}`)
    await claimDataDirectory(values.dataDir, {
      version: DATA_LAYOUT_VERSION,
      role: 'consensus',
      chainId: config.l2ChainId,
      genesisHash: config.genesis.l2.hash,
    })
    const { secret, warning } = await loadJwtSecret(values.jwtSecret, { create: true })
    for (const line of [warning, missingSignerWarning(values)]) if (line !== null) log.warn(line)

    const degraded = createDegradedStates(clock, log)
    const l1 = await openL1(values, role, config, l1Chain, ({ what, why, remedy }) => degraded.enter('l1-fork', what, why, remedy))
    await l1.sayEstimate({ pollIntervalMs: values.l1PollIntervalMs, sequencer: values.role === 'sequencer' })
    const kzg = createKzg()
    const blobs = createBeaconClient(
      { urls: values.l1Beacon },
      {
        kzg,
        crypto,
        clock,
        random,
        log,
        store: await openBlobStore(
          { directory: join(values.dataDir, 'blobs'), maxBytes: values.l1BlobCacheSize, maxAgeMs: values.l1BlobCacheAge },
          { kzg, crypto, clock, log },
        ),
      },
    )
    // Engine tokens use the machine's clock.
    const systemClock = createSystemClock()
    const engine = createEngineClient(
      { url: values.engineUrl, jwtSecret: secret, versionFor: engineVersionsFor(config) },
      { clock: systemClock, random, log, metrics },
    )
    const engineRpc = role.rpc(values.engineUrl, {
      headers: async () => ({ authorization: `Bearer ${await createJwt(secret, systemClock)}` }),
    })
    const store = await openLevelStore({ directory: join(values.dataDir, 'store') })
    const sequencing = await openSequencing(values, role, config.l2ChainId)
    const signer = createUnsafeBlockSigner(config.systemConfigContract, l1.rpc, clock, log, {
      ours: sequencing.signer?.address ?? null,
      published: readPublicNetwork(values.network)?.unsafeBlockSigner ?? null,
    })
    const gossip = values.p2pEnabled
      ? createLibp2pGossip(
          {
            chainId: config.l2ChainId,
            blockTimeMs: config.blockTimeSec * 1000,
            nodeKey: await loadNodeKey(join(values.dataDir, 'node.key')),
            ...p2pSettings(values),
          },
          {
            validator: createBlockValidator({
              chainId: config.l2ChainId,
              signer: signer.current,
              nowMs: clock.nowMs,
              unsupportedFork: config.firstUnsupportedFork,
              usesBlobGasField: (timestampSec) => config.forks.blockRules(l2Time(timestampSec)).daFootprint,
              crypto,
            }),
            signer: sequencing.signer,
            store,
            crypto,
            clock,
            log,
            degraded,
            metrics,
          },
        )
      : null
    const node = createConsensusNode(
      {
        ...DEFAULT_CONSENSUS_OPTIONS,
        role: values.role,
        verifierL1Confirmations: values.verifierConfirmations,
        l1PollIntervalMs: values.l1PollIntervalMs,
        sequencer: sequencing.options,
        allowFinalizedReorg: values.allowFinalizedReorg,
        syncMode: values.syncMode,
        minPeers: values.p2pMinPeers,
        version: VERSION,
      },
      {
        config,
        l1Chain,
        l1: l1.client,
        l1News: l1.news,
        blobs,
        onDerivationStart: (from) => void blobs.sayRange(from),
        violations: createViolationWriter(join(values.dataDir, 'violations')),
        cannotSync: createCannotSync(engineRpc),
        engine,
        l2: createL2BlockSource(engineRpc),
        gossip,
        staking: { contract: values.stakingContract, reader: createContractReader(engineRpc) },
        conductor: sequencing.conductor,
        store,
        decompressor: { decompress },
        crypto,
        clock,
        log,
        metrics,
        degraded,
        setLogLevel: role.setLogLevel,
      },
    )
    const readiness = createReadiness([...node.checks, createDiskCheck(values.dataDir)], { clock, log, metrics })
    const rpc = createRpcServer(rollupRpcServer(values), {
      methods: rollupRpcMethods(values, node.methods, node.adminMethods),
      log,
      clock,
      metrics,
      access,
    })
    return role.run([
      createHealthServer(
        { host: values.metricsHost, port: values.metricsPort, option: '--metrics.port' },
        { metrics, readiness, clock, log },
      ),
      closing('store', () => store.close()),
      closing('kzg', kzg.close),
      signer,
      node,
      ...accessServices,
      rpc,
    ])
  },
})
