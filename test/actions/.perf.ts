import { createExecutionWorld } from '../support/execution-world.ts'
import { createNativeCrypto } from '../../packages/node/src/crypto/native-crypto.ts'
import { blockToPayload, ZERO_HASH, bytesToHex, decodeTransaction } from '@keelson/primitives'
const crypto = createNativeCrypto()
const w = await createExecutionWorld({ crypto })
let t = performance.now(); const blocks=[]
for (let i=0;i<600;i++) blocks.push(await w.mine({noTxPool:true}))
console.log('build+import', 600/(performance.now()-t)*1000, 'blocks/s')
const f = await createExecutionWorld({ crypto })
t = performance.now()
for (const b of blocks) { const p = blockToPayload(b,true); const s = await f.engine.newPayload(p.payload,p.parentBeaconBlockRoot); if (s.status!=='VALID') throw s; await f.engine.forkchoiceUpdated({head:b.hash,safe:b.hash,finalized:b.hash},null)}
console.log('import', 600/(performance.now()-t)*1000, 'blocks/s')
t = performance.now(); await f.node.settled(); console.log('settle', performance.now()-t)
// 1400 transfers
t = performance.now()
const txs = Array.from({length:1000},(_, i)=> w.transfer(i%10, w.accounts[(i+1)%10].address, 1n, {nonce: BigInt(Math.floor(i/10))}))
console.log('signed', performance.now()-t); t = performance.now()
const ds = txs.map(x=>decodeTransaction(x.raw))
const rs = await Promise.all(ds.map(x=>w.node.pool.add(x,'local')))
console.log('pool add 1000', performance.now()-t, rs.filter(r=>r.kind==='rejected').length, rs.find(r=>r.kind==='rejected')); t = performance.now()
const b = await w.mine(); console.log('mine', b.transactions.length, performance.now()-t); t=performance.now()
const p = blockToPayload(b,true); for (const bb of blocks.slice(600)) {}
const s = await f.engine.newPayload(p.payload,p.parentBeaconBlockRoot); console.log(s.status, 'import', performance.now()-t)
t=performance.now(); await f.call('eth_getLogs',{fromBlock:'0x0',toBlock:'latest', address: w.accounts[0].address}); console.log('getLogs 600', performance.now()-t)
