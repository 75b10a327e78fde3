"""Slurm on this machine: a controller and two nodes, in a separate directory. Needs root, and Debian's slurm-wlm and munge."""

import os
import pathlib
import socket
import subprocess
import time

from common.servers import free_ports

NODES = ("n0", "n1")

# cred_expire: Slurm starts a requeued task only after its credential has expired. SlurmdTimeout: seconds until an unresponsive node counts
# as lost.
CONFIGURATION = """
ClusterName=check
SlurmctldHost={host}
SlurmctldAddr=127.0.0.1
SlurmctldPort={port}
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket={folder}/munge/socket,cred_expire=5
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool-%n
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd-%n.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/slurmd-%n.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
MpiDefault=none
JobAcctGatherType=jobacct_gather/none
SchedulerType=sched/builtin
SchedulerParameters=sched_interval=1,batch_sched_delay=1
SelectType=select/cons_tres
SelectTypeParameters=CR_Core_Memory
SlurmdParameters=config_overrides
SlurmdTimeout=3
MessageTimeout=2
KillWait=1
ReturnToService=0
"""


class Slurm:
    """A cluster that runs until the end of a `with` block."""

    def __init__(self, folder):
        self.folder = pathlib.Path(folder)
        self.daemons = []
        self.env = {**os.environ, "SLURM_CONF": str(self.folder / "slurm.conf")}

    def configure(self):
        host = socket.gethostname()
        port, *ports = free_ports(1 + len(NODES))
        text = CONFIGURATION.format(host=host, port=port, folder=self.folder)
        for node, port in zip(NODES, ports):
            text += f"NodeName={node} NodeHostname={host} NodeAddr=127.0.0.1 Port={port} CPUs=2 RealMemory=4000\n"
        text += f"PartitionName=all Nodes={','.join(NODES)} Default=YES MaxTime=INFINITE State=UP\n"
        for name in ("munge", "state", *(f"spool-{node}" for node in NODES)):
            (self.folder / name).mkdir(parents=True, mode=0o700)
        (self.folder / "slurm.conf").write_text(text)
        key = self.folder / "munge/key"
        key.write_bytes(os.urandom(1024))
        key.chmod(0o400)

    def start(self, *command):
        out = open(self.folder / "daemons.log", "ab")
        self.daemons.append(subprocess.Popen(command, env=self.env, stdout=out, stderr=out))

    def __enter__(self):
        self.configure()
        try:
            self.begin()
        except TimeoutError:
            self.__exit__()
            raise
        return self

    def begin(self):
        munge = self.folder / "munge"
        files = {"key-file": "key", "socket": "socket", "pid-file": "pid", "log-file": "log", "seed-file": "seed"}
        self.start("munged", "--foreground", "--force", *(f"--{option}={munge / name}" for option, name in files.items()))
        self.wait(lambda: (munge / "socket").exists(), 10, "munged does not start")
        self.start("slurmctld", "-D")
        for node in NODES:
            self.start("slurmd", "-D", "-N", node)
        self.wait(lambda: self.say("sinfo", "-h", "-o", "%T %D").strip() == f"idle {len(NODES)}", 30, "the nodes do not start")

    def __exit__(self, *_):
        self.say("scancel", "--user=root")
        for daemon in reversed(self.daemons):
            daemon.terminate()
        for daemon in self.daemons:
            try:
                daemon.wait(10)
            except subprocess.TimeoutExpired:
                daemon.kill()

    def say(self, *command):
        """Returns the output of a Slurm command."""
        return subprocess.run(command, env=self.env, capture_output=True, text=True, check=False).stdout

    def wait(self, ready, seconds, what):
        end = time.monotonic() + seconds
        while not ready():
            if time.monotonic() > end:
                raise TimeoutError(f"{what}; {self.say('squeue')}{self.say('sinfo')}{self.logs()}")
            time.sleep(0.2)

    def wait_for_jobs(self, seconds):
        self.wait(lambda: not self.say("squeue", "-h").strip(), seconds, "jobs do not end")

    def logs(self):
        """Returns the last log lines of the daemons."""
        texts = [f"{path.name}:\n{path.read_text()[-1500:]}" for path in sorted(self.folder.glob("*.log"))]
        return "\n".join(texts)
