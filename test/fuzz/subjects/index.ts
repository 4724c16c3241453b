import type { FuzzSubject } from '../subject.ts'
import { blockSubject } from './blocks.ts'
import { derivationSubject } from './derivation.ts'
import { enginePayloadSubject } from './engine-payloads.ts'
import { ethMessageSubject } from './eth-messages.ts'
import { evmSubject } from './evm.ts'
import { gossipSubject } from './gossip.ts'
import { recordSubject } from './records.ts'
import { rlpSubject } from './rlp.ts'
import { rlpxHandshakeSubject } from './rlpx-handshake.ts'
import { rlpxSessionSubject } from './rlpx-session.ts'
import { rpcBodySubject } from './rpc-bodies.ts'
import { rpcParameterSubject } from './rpc-parameters.ts'
import { snapMessageSubject } from './snap-messages.ts'
import { stateSubject } from './state.ts'
import { transactionSubject } from './transactions.ts'
import { trieSubject } from './trie.ts'

export const SUBJECTS: readonly FuzzSubject[] = [
  rlpSubject,
  transactionSubject,
  blockSubject,
  recordSubject,
  derivationSubject,
  gossipSubject,
  trieSubject,
  stateSubject,
  evmSubject,
  rpcBodySubject,
  rpcParameterSubject,
  enginePayloadSubject,
  rlpxHandshakeSubject,
  rlpxSessionSubject,
  ethMessageSubject,
  snapMessageSubject,
]
