import os, sys, time
import numpy as np
from casestudies.contexts.systems import contexts_of
from casestudies.contexts.methods import measurements_of, PROPERTY
from splc.learning import learn
from splc.learning.contexts.sharing import Sharing
from splc.learning.contexts.joint_model import ContextRows
from splc.learning.projection import ProjectionLearner, variables_of, ContextBlock
from splc.learning.active.surrogate import Surrogate, PoolSurrogate
from splc.learning.active.pool import Pool
from splc.learning.active.selection import VarianceStrategy
from sampling.sequential import select
from dataclasses import replace

from splc.learning.projection import KernelPosterior, OptionBasis, fit_full_model, variables_of
from splc.learning.contexts.mapped_model import fit_mapped_model
from splc.learning.contexts.sharing import weight_of_alone, ALONE
def fitted(parts,new):
    sh=Sharing(parts); joint=sh.joint(new,parts[new]); m=fit_mapped_model(joint,new,parts); shared=joint.of(new) if m is None else m
    rows=parts[new]
    single=fit_full_model(rows.configurations, rows.y, variables_of(rows.configurations.system), rows.repetitions)
    return single if weight_of_alone(single, replace(shared, rows=rows.configurations.find(shared.configurations)), len(rows.y))>ALONE else shared
def one(system, size, olds, seed, most):
    tables = contexts_of(system); names=list(tables)
    gen = np.random.default_rng(100+seed)
    res=[]
    for new in names[:most]:
        old = [n for n in names if n!=new]
        old = old[:olds] if olds else old
        rows = {v: gen.permutation(len(tables[v].values))[:size] for v in old}
        parts = {v: ContextRows(tables[v].configurations[r], tables[v].values[r], np.ones(len(r))) for v,r in rows.items()}
        t = tables[new]
        first=next(iter(parts))
        if len(parts)>1:
            whole=Sharing(parts).joint(first,parts[first]).whole
        else:
            p=parts[first]; whole=fit_full_model(p.configurations,p.y,variables_of(p.configurations.system))
        measured_old = np.zeros(len(t.values),bool)
        for p in parts.values():
            f=t.configurations.find(p.configurations); measured_old[f[f>=0]]=True
        basis=replace(whole.basis, context=None)
        empty=basis.designs(t.configurations[:0])
        full=basis.designs(t.configurations[:2])
        def prior(noise):
            ps=[]
            for part in whole.refits.parts:
                d=full[part.kind].distinct
                th=np.concatenate([part.logarithms[:d], part.logarithms[-4:]]); th[-1]+=np.log(noise)
                ps.append(KernelPosterior(th, empty[part.kind], np.zeros(0), np.zeros(0), 0.0, 1.0, part.kind))
            return tuple(ps)
        class S:
            def __init__(s,parts): s.basis=basis; s.parts=parts; s.model=None
        picks={"random":[np.random.default_rng(1000*seed+k).permutation(len(t.values))[:10] for k in range(2)],
               "rand pairs":[np.random.default_rng(1000*seed+k).permutation(np.flatnonzero(measured_old))[:10] for k in range(2)]}
        for noise in (1,10):
            for nm,allowed in (("pairs",measured_old),("all",None)):
                if nm=="all" and noise==1: continue
                pool=Pool.of(t.configurations, allowed)
                pooled=PoolSurrogate(S(prior(noise)),pool)
                type(pooled).means.fget if False else None
                pooled.__dict__["means"]=np.zeros((len(whole.refits.parts),len(pool)))
                s=select(VarianceStrategy(pooled,None),10)
                picks[f"{nm} noise {noise}"]=[t.configurations.find(pool.configurations[s.rows])]
        line={}
        for name, sets in picks.items():
            es=[]
            for p in sets:
                own=ContextRows(t.configurations[p], t.values[p], np.ones(len(p)))
                m=fitted({**parts,new:own},new)
                rest=np.setdiff1d(np.arange(len(t.values)),p)
                e=100*abs(m.predict(t.configurations[rest])/t.values[rest]-1)
                es.append((e.mean(),np.median(e)))
            line[name]=np.mean(es,axis=0)
        res.append(line)
        print({k:round(float(v[0]),2) for k,v in line.items()},flush=True)
    return res
system,size,olds,seeds,most=sys.argv[1],int(sys.argv[2]),int(sys.argv[3]),int(sys.argv[4]),int(sys.argv[5])
allr=[]
for seed in range(seeds):
    allr+=one(system,size,olds,seed,most)

for name in allr[0]:
    a=np.array([l[name] for l in allr]); r=np.log(a[:,0]/np.array([l["random"][0] for l in allr]))
    print(system,size,"olds",olds,name,"mean %.2f median %.2f"%tuple(a.mean(axis=0)),"ratio to random %.3f"%np.exp(r.mean()),"better",(r<0).sum(),"of",len(r),flush=True)
