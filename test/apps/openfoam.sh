# openfoam: the lid-driven cavity of Debian's examples, icoFoam on a box cut in four. Its result are the residuals of every step and the
# last fields.
# shellcheck shell=sh disable=SC2034
packages='openfoam openfoam-examples'
tolerance=1e-4 floor=1e-8
kill_at=0@MPI_Allreduce#500
export WM_PROJECT_DIR=/usr/share/openfoam FOAM_ETC=/usr/share/openfoam/etc

prepare() {
    cp -r /usr/share/doc/openfoam-examples/examples/incompressible/icoFoam/cavity/cavity/. . && gunzip -rf . 2>/dev/null
    case $size in
    small) end=0.5 ;;
    *) # a finer box: the steps follow it
        sed -i 's/(20 20 1)/(120 120 1)/' system/blockMeshDict
        sed -i 's/^deltaT .*/deltaT 0.0005;/; s/^writeInterval .*/writeInterval 1000;/' system/controlDict
        end=$(scaled 500) && end=$((end / 1000)).$(printf %03d $((end % 1000)))
        ;;
    esac
    sed -i "s/^endTime .*/endTime $end;/" system/controlDict
    cat >system/decomposeParDict <<END
FoamFile { version 2.0; format ascii; class dictionary; object decomposeParDict; }
numberOfSubdomains $n;
method simple;
simpleCoeffs { n ($n 1 1); delta 0.001; }
END
    blockMesh && decomposePar
}

job() { start icoFoam -parallel; }
result() {
    sed -n 's/.*Solving for \([A-Za-z]*\), Initial residual = \([-0-9.e+]*\),.*No Iterations \([0-9]*\)/\1 \2/p; s/^Time = /time /p' output
}
