#!/bin/bash
# A batch script: `sbatch job.sh ./app argument...`. `knell run` sees that it is in an allocation and launches by srun.
#SBATCH --job-name=knell
#SBATCH --nodes=4
#SBATCH --ntasks-per-node=8
#SBATCH --no-kill        # the allocation stays when a node fails; without it Slurm ends the job

# Where the script's own node may be lost, with it and with `knell run`, the status is in the file.
exec knell run -n "$SLURM_NTASKS" --status-file "knell-$SLURM_JOB_ID.status" "$@"
